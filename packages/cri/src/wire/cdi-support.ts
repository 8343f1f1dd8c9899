import type { RuntimeVersion } from "../container-runtime.ts";

/** The first of containerd's versions that has CDI on unless its configuration states otherwise. */
const containerdWithCdi = 2;

/**
 * Reports whether the runtime applies devices of the Container Device Interface itself. Containerd
 * shows its setting in its verbose status; where it shows none, its version decides. CRI-O always
 * does it.
 * @param config the text under "config" of the verbose status, JSON; undefined where there is none
 */
export function appliesCdi(
  { runtimeName, runtimeVersion }: Pick<RuntimeVersion, "runtimeName" | "runtimeVersion">,
  config: string | undefined,
): boolean {
  const setting = settingIn(config);
  if (setting !== undefined) return setting;
  if (runtimeName === "cri-o") return true;
  const major = Number(/^v?(\d+)\./.exec(runtimeVersion)?.[1] ?? 0);
  return runtimeName === "containerd" && major >= containerdWithCdi;
}

function settingIn(config: string | undefined): boolean | undefined {
  if (config === undefined) return undefined;
  try {
    const { enableCDI } = JSON.parse(config) as { enableCDI?: unknown };
    return typeof enableCDI === "boolean" ? enableCDI : undefined;
  } catch {
    // Another runtime's text in another form states nothing.
    return undefined;
  }
}

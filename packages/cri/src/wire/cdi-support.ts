import type { RuntimeVersion } from "../container-runtime.ts";

/** The first version of containerd with CDI enabled by default. */
const containerdWithCdi = 2;

/**
 * Reports whether the runtime applies devices of the Container Device Interface itself. Containerd
 * reports its setting in its verbose status; if the setting is absent, its version decides. CRI-O
 * always applies them.
 * @param config the text under "config" of the verbose status, JSON; undefined if absent
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
    // Another runtime's text in another format is ignored.
    return undefined;
  }
}

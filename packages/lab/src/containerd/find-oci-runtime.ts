import { chooseOciRuntime, type OciRuntime } from "../settings/nodes/oci-runtimes.ts";
import { findProgram, runCommand } from "@kintsugi/daemon";

/**
 * Finds the runtime for a new cluster on this host: the requested runtime, or else the best runtime
 * that the installed programs support.
 */
export async function findOciRuntime(asked: OciRuntime | undefined): Promise<OciRuntime> {
  if (asked !== undefined) return asked;
  const [crun, containerd] = await Promise.all(["crun", "containerd"].map(versionOf));
  return chooseOciRuntime(asked, { crun, containerd });
}

async function versionOf(program: string): Promise<string | undefined> {
  const file = findProgram(program, "");
  return file === undefined ? undefined : await runCommand(file, ["--version"]).catch(() => undefined);
}

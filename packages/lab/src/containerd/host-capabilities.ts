import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree, runCommand } from "@kintsugi/daemon";

const capSysResource = 24n;

/** Reports whether this process may raise limits and lower OOM scores. */
export async function hasSysResource(): Promise<boolean> {
  const status = await readFile("/proc/self/status", "utf8");
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return ((BigInt(`0x${effective}`) >> capSysResource) & 1n) === 1n;
}

/** Returns the directory of the CNI plugins, which differs between Debian and upstream. */
export function cniPluginDirectory(): string {
  return existsSync("/usr/lib/cni/bridge") ? "/usr/lib/cni" : "/opt/cni/bin";
}

/**
 * Reports whether overlay mounts work in `directory`. Some file systems do not support overlay
 * mounts, including overlay itself on older kernels.
 */
export async function canOverlay(directory: string): Promise<boolean> {
  await mkdir(directory, { recursive: true });
  const probe = await mkdtemp(join(directory, "overlay-probe-"));
  const [lower, upper, work, merged] = ["lower", "upper", "work", "merged"].map((name) => join(probe, name)) as [
    string,
    string,
    string,
    string,
  ];
  try {
    for (const made of [lower, upper, work, merged]) await mkdir(made);
    await runCommand("mount", [
      "-t",
      "overlay",
      "overlay",
      "-o",
      `lowerdir=${lower},upperdir=${upper},workdir=${work}`,
      merged,
    ]);
    await runCommand("umount", [merged]);
    return true;
  } catch {
    return false;
  } finally {
    await removeTree(probe);
  }
}

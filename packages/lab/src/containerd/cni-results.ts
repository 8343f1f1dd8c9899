import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../host/run-command.ts";

/**
 * The library of network plugins records its results for each sandbox here, for every containerd of
 * this host.
 */
const cniResults = "/var/lib/cni/results";
/** A process that has just made a file is about to fill it: 10 s. */
const olderThanMinutes = "+0.17";

/**
 * Removes the files about pods' networks that were being written when the power went, or the node
 * was killed: an empty file is worse than none, because its reader fails ("decoding version from
 * network config: unexpected end of JSON input") and can never take its sandbox down, nor give its
 * address back. Runs before a containerd starts, like the command of its unit. It calls `find`:
 * there may be thousands of files.
 */
export async function removeEmptiedFiles(ipamDirectory: string, results = cniResults): Promise<void> {
  // Nothing was ever noted of a node that is new.
  if (!existsSync(ipamDirectory)) return;
  const which = ["-type", "f", "-empty", "!", "-name", "lock", "-mmin", olderThanMinutes, "-delete"];
  // A place that does not exist yet is an error of find's, after it has been to the others.
  await runCommand("find", [results, ipamDirectory, ...which]).catch(() => {});
}

/**
 * Removes the records of sandboxes whose containerds go with all their data: the plugins will never
 * be called to take those down.
 */
export async function forgetSandboxNetworks(containerdRoots: readonly string[], results = cniResults): Promise<void> {
  const ids = new Set((await Promise.all(containerdRoots.map(sandboxesBelow))).flat());
  if (ids.size === 0) return;
  // "kintsugi-<sandbox>-eth0", "cni-loopback-<sandbox>-lo"
  const noted = (await namesIn(results)).filter((name) => ids.has(name.split("-").at(-2) ?? ""));
  await Promise.all(noted.map((name) => rm(join(results, name), { force: true })));
}

/** Lists the sandboxes by the directories that containerd's CRI plugin keeps of them. */
function sandboxesBelow(containerdRoot: string): Promise<string[]> {
  return namesIn(join(containerdRoot, "io.containerd.grpc.v1.cri/sandboxes"));
}

/** Lists the names in a directory that may not be there. */
async function namesIn(directory: string): Promise<string[]> {
  return await readdir(directory).catch(() => []);
}

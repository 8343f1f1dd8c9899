import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "@kintsugi/daemon";

/**
 * The library of network plugins records its results for each sandbox here, for every containerd of
 * this host.
 */
const cniResults = "/var/lib/cni/results";
/**
 * Minimum age of a removed file, 10 s, because a process that has just created a file is about to
 * fill the file.
 */
const olderThanMinutes = "+0.17";

/**
 * Removes the files about pods' networks that were being written when the power failed, or the node
 * was killed. An empty file is worse than a missing file, because its reader fails ("decoding
 * version from network config: unexpected end of JSON input"), so that the sandbox can never be
 * removed and the address can never be released. Runs before a containerd starts, like the command
 * of its unit. It calls `find` because there may be thousands of files.
 */
export async function removeEmptiedFiles(ipamDirectory: string, results = cniResults): Promise<void> {
  // A new node does not have records yet.
  if (!existsSync(ipamDirectory)) return;
  const which = ["-type", "f", "-empty", "!", "-name", "lock", "-mmin", olderThanMinutes, "-delete"];
  // find reports an error for a path that does not exist, after it has searched the other paths.
  await runCommand("find", [results, ipamDirectory, ...which]).catch(() => {});
}

/**
 * Removes the records of sandboxes whose containerds are removed with all their data, because the
 * plugins will never be called for those sandboxes.
 */
export async function forgetSandboxNetworks(containerdRoots: readonly string[], results = cniResults): Promise<void> {
  const ids = new Set((await Promise.all(containerdRoots.map(sandboxesBelow))).flat());
  if (ids.size === 0) return;
  // "kintsugi-<sandbox>-eth0", "cni-loopback-<sandbox>-lo"
  const noted = (await namesIn(results)).filter((name) => ids.has(name.split("-").at(-2) ?? ""));
  await Promise.all(noted.map((name) => rm(join(results, name), { force: true })));
}

/** Lists the sandboxes from the directories that containerd's CRI plugin has of them. */
function sandboxesBelow(containerdRoot: string): Promise<string[]> {
  return namesIn(join(containerdRoot, "io.containerd.grpc.v1.cri/sandboxes"));
}

/** Lists the names in a directory that may not exist. */
async function namesIn(directory: string): Promise<string[]> {
  return await readdir(directory).catch(() => []);
}

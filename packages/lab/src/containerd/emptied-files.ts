import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kintsugi/clock";

/** Where the library of network plugins notes what they answered, for every containerd of this host. */
const cniResults = "/var/lib/cni/results";
/** Who has just made a file is about to fill it. */
const fillMaxMs = 10_000;

/**
 * Removes what was being written about pods' networks when the power went, or the node was killed: an empty file is worse than none, for
 * whoever reads it ("decoding version from network config: unexpected end of JSON input") can never take its sandbox down, nor give its
 * address back. Done before a containerd starts; its unit does the same with `find`.
 */
export async function removeEmptiedFiles(clock: Clock, ipamDirectory: string, results = cniResults): Promise<void> {
  const networks = await namesIn(ipamDirectory);
  const directories = [results, ...networks.map((network) => join(ipamDirectory, network))];
  const youngestMs = clock.nowMs() - fillMaxMs;
  await Promise.all(
    directories.map(async (directory) => {
      for (const name of await namesIn(directory))
        if (name !== "lock") await removeIfEmptied(join(directory, name), youngestMs);
    }),
  );
}

async function removeIfEmptied(file: string, youngestMs: number): Promise<void> {
  // Others tidy up too.
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile() === true && found.size === 0 && found.mtimeMs < youngestMs) await rm(file, { force: true });
}

/** Of a directory that may not be there. */
async function namesIn(directory: string): Promise<string[]> {
  return await readdir(directory).catch(() => []);
}

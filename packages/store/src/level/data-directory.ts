import { ballastFileName } from "../disk/ballast.ts";
import type { Disk } from "../disk/disk.ts";
import { headFileName } from "../log/head.ts";
import { StoreCorrupt } from "../store.ts";

// <data directory>
//   HEAD        the revision that the log must reach; two checksummed slots
//   log/        LevelDB: rev/<revision> and base/<floor>
//   ballast     reserve that is deleted when the disk is full

export const engineDirectoryName = "log";

/**
 * Other files that may exist: HEAD before it is renamed, and a file system's own files in its root.
 */
const harmlessNames = ["HEAD.new", "lost+found"];
const ourNames = [headFileName, engineDirectoryName, ballastFileName];

export interface FoundDirectory {
  readonly head: Uint8Array | undefined;
  readonly hasBallast: boolean;
}

/**
 * Inspects a data directory before it is modified.
 * @throws StoreCorrupt when it contains a foreign file, or lacks the log.
 */
export async function inspectDirectory(disk: Disk): Promise<FoundDirectory> {
  const names = await disk.list();
  const foreign = names.filter((name) => !ourNames.includes(name) && !harmlessNames.includes(name));
  const head = await disk.readFile(headFileName);
  if (foreign.length > 0 && !head) {
    throw new StoreCorrupt(
      `${disk.name} is neither empty nor a Kintsugi store: it contains ${foreign.slice(0, 3).join(", ")}`,
    );
  }
  if (head && !names.includes(engineDirectoryName)) {
    throw new StoreCorrupt(`${disk.name} has a HEAD but no ${engineDirectoryName}: the log is lost; restore a backup`);
  }
  return { head, hasBallast: names.includes(ballastFileName) };
}

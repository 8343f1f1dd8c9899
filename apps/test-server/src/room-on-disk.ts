import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UnusableDirectory } from "@kintsugi/daemon";

/**
 * An idle cluster writes a few megabytes a day; with less room its first objects cannot be stored.
 */
const roomMinBytes = 16 * 1024 * 1024;

/**
 * Checks that a directory of objects, which may not exist yet, has room for a cluster: without room
 * nodes never become Ready.
 * @throws UnusableDirectory
 */
export async function assertRoomOnDisk(directory: string): Promise<void> {
  const freeBytes = await roomOf(resolve(directory));
  if (freeBytes >= roomMinBytes) return;
  const free = (freeBytes / 1024 / 1024).toFixed(1);
  throw new UnusableDirectory(
    `the disk of ${directory} has ${free} MiB left, of ${roomMinBytes / 1024 / 1024} MiB that a cluster needs: choose another --data-dir`,
  );
}

/** The room of the nearest existing directory. */
async function roomOf(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(path);
    if (parent === path) throw error;
    return roomOf(parent);
  }
}

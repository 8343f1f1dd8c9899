import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const othersBits = 0o077;
/** The owner denied the change, or the file system does not support modes. */
const unchangeable = ["EPERM", "EACCES", "ENOTSUP", "EROFS"];

/**
 * Removes all rights of users other than its owner from a data directory and all of its content.
 * LevelDB makes its files with the process's umask, and a directory may come from an older version
 * or from a copy. Returns the paths whose rights could not be removed.
 */
export async function closeToOthers(path: string): Promise<string[]> {
  try {
    const found = await lstat(path);
    // The target of a link is not part of the directory.
    if (!found.isFile() && !found.isDirectory()) return [];
    if ((found.mode & othersBits) !== 0) await chmod(path, found.mode & 0o7700);
    if (!found.isDirectory()) return [];
    const inside: string[] = [];
    for (const name of await readdir(path)) inside.push(...(await closeToOthers(join(path, name))));
    return inside;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // LevelDB removes files while it works.
    if (code === "ENOENT") return [];
    if (unchangeable.includes(code)) return [path];
    throw error;
  }
}

import { lstat, rmdir, unlink } from "node:fs/promises";
import { hasCode, isMissing, type TreeEntry, walkTree } from "./walk-tree.ts";

/**
 * Removes a file, or a directory with its contents, however deep. A missing path is not an error.
 * Links are not followed, and files of another file system are not removed, because a remaining
 * mount has files of another owner.
 * @throws Error for the first entry that could not be removed, after all other entries have been
 * removed.
 */
export async function removeTree(path: string): Promise<void> {
  if (await removeFile(path)) return;
  const root = await lstat(path).catch(missingIsUndefined);
  if (root === undefined || (await removeEmpty(path))) return;
  let failure: unknown;
  const removal = {
    file: async (entry: TreeEntry) => {
      // An entry that has become a directory in the meantime makes its parent's removal fail.
      await removeFile(entry.path);
    },
    directory: async ({ path: at }: TreeEntry) => !(await removeEmpty(at)),
    enter: async ({ handle }: TreeEntry["directory"]) => {
      if ((await handle.stat()).dev === root.dev) return true;
      throw new Error(`${path} has another file system mounted below it`);
    },
    left: ({ path: at }: TreeEntry) => rmdir(at),
    failed: (error: unknown) => void (failure ??= error),
  };
  await walkTree(path, removal);
  if (failure !== undefined) throw new Error(`${path} was not removed completely`, { cause: failure });
  await rmdir(path).catch(missingIsUndefined);
}

/** Returns false when the path is a directory. */
async function removeFile(path: string | Buffer): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return true;
    // Linux returns the first code, POSIX specifies the second.
    if (hasCode(error, "EISDIR") || hasCode(error, "EPERM")) return !(await isDirectory(path, error));
    throw error;
  }
}

async function isDirectory(path: string | Buffer, error: unknown): Promise<boolean> {
  const info = await lstat(path).catch(missingIsUndefined);
  if (info === undefined || info.isDirectory()) return info !== undefined;
  throw error;
}

/** Returns false when the directory has entries, or is no longer a directory. */
async function removeEmpty(path: string | Buffer): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return true;
    if (hasCode(error, "ENOTEMPTY") || hasCode(error, "EEXIST") || hasCode(error, "ENOTDIR")) return false;
    throw error;
  }
}

function missingIsUndefined(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

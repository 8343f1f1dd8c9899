import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** The page has a dozen files; a directory with more files is not the page. */
const filesMax = 200;

/**
 * Reads all files of the first directory that exists, by their paths below it; undefined when no
 * directory exists.
 * @throws Error when the directory holds too many files, or a file cannot be read.
 */
export async function readDashboardFiles(
  directories: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  for (const directory of directories) {
    const entries = await listed(directory);
    if (entries === undefined) continue;
    if (entries.length > filesMax)
      throw new Error(`${directory} holds more than ${filesMax} files: it is not the page`);
    const files = await Promise.all(
      entries.map(async (path) => [relative(directory, path).split(sep).join("/"), await readFile(path)] as const),
    );
    return new Map(files);
  }
  return undefined;
}

/** Links are skipped because each could point out of the directory. */
async function listed(directory: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

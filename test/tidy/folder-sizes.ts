import { posix } from "node:path";
import type { SourceFile } from "./source-files.ts";

/** A reader takes in this many names at a glance. */
export const filesPerFolderMax = 15;

/** Folders that have yet to be split by subject, with what they hold today: a number may fall, and then the row has to follow. */
export const largeFolders: Readonly<Record<string, number>> = {};

/** How many source files each folder holds, tests not counted. */
export function filesPerFolder(files: readonly SourceFile[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (path.endsWith(".test.ts")) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

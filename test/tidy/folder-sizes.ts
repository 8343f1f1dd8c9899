import { posix } from "node:path";
import type { SourceFile } from "./source-files.ts";

/** Number of names that a reader can survey at a glance. */
export const filesPerFolderMax = 15;

/** Counts the source files of each folder, without tests. */
export function filesPerFolder(files: readonly SourceFile[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (path.endsWith(".test.ts")) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

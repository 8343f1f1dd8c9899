import { posix } from "node:path";
import type { SourceFile } from "./source-files.ts";

/** A reader takes in this many names at a glance. */
export const filesPerFolderMax = 15;

/** Folders that have yet to be split by subject, with the number of files that they hold. A number never rises; a row goes with its folder. */
export const largeFolders: Readonly<Record<string, number>> = {
  "apps/api-server/src/authorization": 19,
  "apps/api-server/src/http": 16,
  "apps/api-server/src/verbs": 18,
  "test/bench": 18,
  "test/support": 24,
};

/** Counts the source files of each folder; tests do not count. */
export function filesPerFolder(files: readonly SourceFile[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (path.endsWith(".test.ts")) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

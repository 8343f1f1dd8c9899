import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { hasCode, isMissing, type OpenDirectory, type TreeEntry, walkTree } from "./walk-tree.ts";

export interface TreeUsage {
  bytes: number;
  inodes: number;
}

/** Limit on files with several names that are remembered, so that each file is counted once. */
const linkedMax = 100_000;

/**
 * Returns the disk usage of everything below a path, as du(1) counts; other file systems mounted
 * below are not counted. A container may be writing in the meantime: entries that are removed count
 * as nothing, and entries that cannot be counted do not hide other entries.
 */
export async function treeUsage(path: string): Promise<TreeUsage> {
  const total = { bytes: 0, inodes: 0 };
  const top = await lstat(path).catch(missingIsUndefined);
  if (top === undefined) return total;
  const linked = new Set<number>();
  const count = (info: Stats) => {
    if (info.dev !== top.dev) return false;
    const isLinked = info.nlink > 1 && !info.isDirectory();
    if (isLinked && linked.has(info.ino)) return false;
    // A file beyond the limit counts in parts, one part for each of its names.
    const share = isLinked && linked.size >= linkedMax ? info.nlink : 1;
    if (isLinked && share === 1) linked.add(info.ino);
    total.bytes += (info.blocks * 512) / share;
    total.inodes += 1 / share;
    return true;
  };
  if (!top.isDirectory()) count(top);
  else {
    await walkTree(path, {
      file: async (entry: TreeEntry) => void count(await lstat(entry.path)),
      enter: async ({ handle }: OpenDirectory) => count(await handle.stat()),
      failed: () => {},
    }).catch(replacedIsFine);
  }
  return { bytes: Math.round(total.bytes), inodes: Math.round(total.inodes) };
}

function missingIsUndefined(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

/** The directory was replaced by a link or a file after it was inspected. */
function replacedIsFine(error: unknown): void {
  if (!isMissing(error) && !hasCode(error, "ELOOP")) throw error;
}

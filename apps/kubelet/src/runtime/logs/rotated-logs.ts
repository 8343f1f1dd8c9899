import { basename, dirname, join } from "node:path";
import { formatTimestamp } from "@kintsugi/api";
import type { Files } from "../../machine/files/files.ts";

// The files of one container's log, the newest first, with upstream's names:
//   0.log                        the current file
//   0.log.20260102-030405        the previous file, uncompressed so that a reader can finish it
//   0.log.20260102-020304.gz     older files
//   0.log.20260102-020304.tmp    incomplete, because the kubelet ended during the compression

export interface RotationOptions {
  /** A log of this size is rotated (containerLogMaxSize). Default 10 MiB; negative: never. */
  maxSizeBytes: number;
  /** Files per container, including the current file (containerLogMaxFiles). Default 5. */
  maxFiles: number;
}

export interface RotationPlan {
  remove: string[];
  compress: string[];
  /** The new name of the current log. */
  rotateTo: string;
}

/**
 * Plans the renaming and removal of a container's older logs before the current log is rotated
 * (container_log_manager.go). Names, not paths.
 */
export function planRotation(
  log: { name: string; others: readonly string[] },
  { maxFiles }: RotationOptions,
  nowMs: number,
): RotationPlan {
  const mine = log.others.filter((each) => each.startsWith(`${log.name}.`));
  const inUse = mine.filter((each) => isInUse(each, mine)).toSorted();
  // The current log and its successor also count.
  const surplus = Math.max(0, inUse.length - Math.max(0, maxFiles - 2));
  const kept = inUse.slice(surplus);
  return {
    remove: [...mine.filter((each) => !isInUse(each, mine)), ...inUse.slice(0, surplus)],
    compress: kept.filter((each) => !each.endsWith(".gz")),
    rotateTo: freeName(log.name, mine, nowMs),
  };
}

/** The name contains the time in seconds, or the next free second if a log has that name. */
function freeName(name: string, taken: readonly string[], nowMs: number): string {
  const rotated = `${name}.${formatTimestamp(nowMs).replaceAll(/[-:Z]/g, "").replace("T", "-")}`;
  return taken.includes(rotated) || taken.includes(`${rotated}.gz`) ? freeName(name, taken, nowMs + 1000) : rotated;
}

/** Reports whether the file is complete and does not also exist in compressed form. */
function isInUse(name: string, all: readonly string[]): boolean {
  if (name.endsWith(".tmp")) return false;
  return name.endsWith(".gz") || !all.includes(`${name}.gz`);
}

/** A container's log with all its rotated files. */
export async function removeLogs(files: Files, logPath: string): Promise<void> {
  const directory = dirname(logPath);
  const name = basename(logPath);
  for (const each of await files.list(directory)) {
    if (each === name || each.startsWith(`${name}.`)) await files.remove(join(directory, each));
  }
}

import { copyFile, readdir, rename, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";

/** A log is cut at this size; a process has at most two log files. */
const logBytesMax = 32 * 1024 * 1024;
/** A process that fails in a loop writes a megabyte per second. */
const lookMs = 10_000;

export interface LogLimitDeps {
  clock: Clock;
  log: Logger;
}

/** Cuts logs in a directory that become too large, until the signal aborts. */
export async function keepLogsSmall(deps: LogLimitDeps, directory: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await deps.clock.sleep(lookMs, signal);
      for (const file of await cutLogs(directory, logBytesMax)) deps.log.info("log cut", { file });
    } catch (error) {
      if (signal.aborted) return;
      deps.log.warn("logs not cut", { directory, error });
    }
  }
}

/**
 * Moves the content of each log of more than `bytesMax` into a file that ends in `.1`, replacing
 * the previous file. The log itself remains the same file, to which its process continues to
 * append; lines that it writes between the copy and the cut are lost.
 * @returns the logs that were cut.
 */
export async function cutLogs(directory: string, bytesMax: number): Promise<string[]> {
  const cut: string[] = [];
  for (const name of await readdir(directory)) {
    if (!name.endsWith(".log")) continue;
    const file = join(directory, name);
    const { size } = await stat(file);
    if (size <= bytesMax) continue;
    await copyFile(file, `${file}.1.new`);
    await rename(`${file}.1.new`, `${file}.1`);
    await truncate(file);
    cut.push(file);
  }
  return cut;
}

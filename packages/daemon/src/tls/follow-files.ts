import { watch } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Loop } from "../run-until-signal.ts";

export interface FollowedFiles<T> {
  /** The files' name in the log: "serving certificate". */
  readonly what: string;
  readonly files: readonly string[];
  /** The value that was read when the service started. */
  readonly initial: T;
  /**
   * @throws when the files cannot be used in their present state, including when some of them are
   * not written yet.
   */
  read(): T | Promise<T>;
  apply(value: T): void;
}

/**
 * Interval between two readings, as in upstream's dynamiccertificates: the files are read again
 * each minute, in addition to every change that the kernel reports.
 */
const pollMs = 60_000;
/** A certificate and its key are two files, written one after the other. */
const settleMs = 100;

/**
 * Reads files again when they change. An unusable file is logged once, and its earlier value
 * remains in use.
 */
export function followFiles<T>(deps: { clock: Clock; log: Logger }, followed: FollowedFiles<T>): Loop {
  return { name: `${followed.what} files`, run: (signal) => follow(deps, followed, signal) };
}

async function follow<T>(
  { clock, log }: { clock: Clock; log: Logger },
  followed: FollowedFiles<T>,
  signal: AbortSignal,
): Promise<void> {
  const { what, files } = followed;
  let current = followed.initial;
  let complaint = "";
  let wake = new AbortController();
  watchDirectories(files, () => wake.abort(), signal);
  while (!signal.aborted) {
    await clock.sleep(pollMs, AbortSignal.any([signal, wake.signal])).catch(() => {});
    if (wake.signal.aborted) await clock.sleep(settleMs, signal).catch(() => {});
    wake = new AbortController();
    try {
      const next = await followed.read();
      complaint = "";
      if (isDeepStrictEqual(next, current)) continue;
      followed.apply(next);
      current = next;
      log.info("files were read again", { what, files });
    } catch (error) {
      const { message } = error as Error;
      if (message !== complaint && !signal.aborted)
        log.warn("files cannot be used, the previous files remain in use", { what, files, error });
      complaint = message;
    }
  }
}

/**
 * Watches the directories rather than the files, because a program that writes a whole file
 * replaces it by a new file.
 */
function watchDirectories(files: readonly string[], onChanged: () => void, signal: AbortSignal): void {
  for (const directory of new Set(files.map((file) => dirname(file)))) {
    try {
      const watcher = watch(directory, { signal, persistent: false }, onChanged);
      watcher.on("error", () => watcher.close());
    } catch {
      // Watches are exhausted, or the directory no longer exists. The reading each minute has to
      // suffice.
    }
  }
}

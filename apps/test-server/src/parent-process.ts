import { onAbort, systemClock } from "@kintsugi/clock";

/**
 * Time within which an orphaned process detects that its parent has ended; a check takes a
 * microsecond.
 */
const lookMs = 1000;

/** Resolves when the standard input or the parent process ends. */
export function untilParentEnds(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      process.stdin.destroy();
      resolve();
    };
    void untilOrphaned(signal).then(end);
    process.stdin.once("end", end);
    process.stdin.once("error", end);
    process.stdin.resume();
  });
}

/** Resolves when the parent process has ended, or the signal aborts. */
export function untilOrphaned(signal: AbortSignal): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    onAbort(signal, resolve);
    const look = () => {
      if (signal.aborted) return;
      if (process.ppid !== parent) return resolve();
      systemClock.after(lookMs, look);
    };
    look();
  });
}

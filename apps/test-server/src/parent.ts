import { onAbort, systemClock } from "@kintsugi/clock";

/** An orphan is noticed within this time; a look costs a microsecond. */
const lookMs = 1000;

/** Resolves when the standard input ends or the parent process does. */
export function untilParentEnds(signal: AbortSignal): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const end = () => {
      process.stdin.destroy();
      resolve();
    };
    onAbort(signal, end);
    const look = () => {
      if (signal.aborted) return;
      if (process.ppid !== parent) return end();
      systemClock.after(lookMs, look);
    };
    look();
    process.stdin.once("end", end);
    process.stdin.once("error", end);
    process.stdin.resume();
  });
}

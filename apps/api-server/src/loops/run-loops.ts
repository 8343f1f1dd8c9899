import { untilAborted } from "@kintsugi/clock";

export type LoopBody = (stop: AbortSignal) => Promise<void>;

/**
 * Runs all loops until the signal aborts. When a loop fails, the other loops are stopped and the
 * failure is thrown.
 */
export async function runLoops(loops: readonly LoopBody[], signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const all = AbortSignal.any([signal, stop.signal]);
  const running = loops.map((loop) => loop(all));
  try {
    await Promise.race([untilAborted(signal), ...running.map((loop) => untilFailed(loop, signal))]);
  } finally {
    stop.abort();
    // The promise of the store's failure normally never settles, so this code does not wait for it.
    await Promise.allSettled(running.slice(1));
  }
}

/** A loop that ends early without an error ended on purpose. */
async function untilFailed(loop: Promise<void>, signal: AbortSignal): Promise<void> {
  await loop;
  await untilAborted(signal);
}

import { onAbort } from "./on-abort.ts";

/**
 * The source of a program's time. Everything that waits, measures or stamps takes a Clock, so the
 * whole cluster can run on a virtual one.
 */
export interface Clock {
  /**
   * Wall time in milliseconds since the Unix epoch. It may jump; use it for times that other
   * machines read, never for durations.
   */
  nowMs(): number;
  /**
   * Milliseconds since an arbitrary start; never goes back. Use it for every duration and deadline
   * of this process.
   */
  monotonicMs(): number;
  /** Calls `callback` once, `delayMs` from now (at the earliest; a negative delay counts as 0). */
  after(delayMs: number, callback: () => void): Timer;
  /**
   * Resolves after `delayMs`.
   * @throws the signal's reason when `signal` aborts first.
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when all other work that is ready has run: for work that takes long without waiting
   * for anything.
   */
  nextTurn(): Promise<void>;
}

/** A pending callback of `Clock.after`. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * Resolves after `delayMs` of `clock`, or rejects with the signal's reason; both clocks' `sleep` is
 * made of it.
 */
export function sleepOn(clock: Pick<Clock, "after">, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    if (signal === undefined) {
      clock.after(delayMs, resolve);
      return;
    }
    const timer = clock.after(delayMs, () => {
      stopListening();
      resolve();
    });
    const stopListening = onAbort(signal, () => {
      timer.cancel();
      reject(signal.reason as Error);
    });
  });
}

import { onAbort } from "./on-abort.ts";

/**
 * The source of a program's time. Everything that waits, measures or stamps takes a Clock, so the
 * whole cluster can run on a virtual clock.
 */
export interface Clock {
  /**
   * Wall time in milliseconds since the Unix epoch. It may jump; use it for times that other
   * machines read, never for durations.
   */
  nowMs(): number;
  /**
   * Milliseconds since an arbitrary start, which never decrease. Use it for every duration and
   * deadline of this process.
   */
  monotonicMs(): number;
  /** Calls `callback` once, `delayMs` from now (at the earliest; a negative delay counts as 0). */
  after(delayMs: number, callback: () => void, kind?: TimerKind): Timer;
  /**
   * Resolves after `delayMs`.
   * @throws the signal's reason when `signal` aborts first.
   */
  sleep(delayMs: number, signal?: AbortSignal, kind?: TimerKind): Promise<void>;
  /**
   * Resolves when all other work that is ready has run. Code that runs for long without waiting
   * calls this function.
   */
  nextTurn(): Promise<void>;
}

/**
 * The meaning of a timer for a clock that is moved over hours in which nothing happens. "deadline":
 * something is due at that time. "routine": a check that does not find changes while nothing
 * happens, so that one check can replace many. "heartbeat": a sign of life on which checks depend,
 * so it is handled before them. An object: the timer is "routine" until something is due after that
 * many milliseconds. Other clocks treat all timers alike.
 */
export type TimerKind = "deadline" | "routine" | "heartbeat" | { readonly routineForMs: number };

/**
 * A pending callback of `Clock.after`. A second cancellation, or a cancellation after the call, has
 * no effect.
 */
export interface Timer {
  cancel(): void;
}

/**
 * Resolves after `delayMs` of `clock`, or rejects with the signal's reason; the `sleep` of both
 * clocks uses this function.
 */
export function sleepOn(
  clock: Pick<Clock, "after">,
  delayMs: number,
  { signal, kind }: { signal?: AbortSignal | undefined; kind?: TimerKind | undefined } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    if (signal === undefined) {
      clock.after(delayMs, resolve, kind);
      return;
    }
    const fire = () => {
      stopListening();
      resolve();
    };
    const timer = clock.after(delayMs, fire, kind);
    const stopListening = onAbort(signal, () => {
      timer.cancel();
      reject(signal.reason as Error);
    });
  });
}

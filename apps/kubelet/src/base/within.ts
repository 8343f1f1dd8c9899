import type { Clock } from "@kintsugi/clock";

/** A call has had its time, and its answer is not waited for. */
export class TimeIsUp extends Error {
  override readonly name = "TimeIsUp";
}

export interface CallLimit {
  readonly timeoutMs: number;
  /** Ends the call earlier. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls with a time limit. The call's signal aborts at the limit, and a call that ignores its
 * signal is not waited for either.
 * @throws TimeIsUp
 */
export async function within<T>(
  clock: Clock,
  { timeoutMs, signal }: CallLimit,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const deadline = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const called = call(deadline);
  const tooLate = new Promise<never>((_, reject) => {
    const timer = clock.after(timeoutMs, () => {
      reject(new TimeIsUp(`no answer within ${timeoutMs / 1000} s`));
      ended.abort();
    });
    called.then(
      () => timer.cancel(),
      () => timer.cancel(),
    );
  });
  return Promise.race([called, tooLate]);
}

import { type Clock, onAbort } from "@kintsugi/clock";

/** A call has exceeded its time limit; its caller no longer waits for the answer. */
export class TimeIsUp extends Error {
  override readonly name = "TimeIsUp";
}

export interface CallLimit {
  readonly timeoutMs: number;
  /** Ends the call before its limit. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls with a time limit. The call's signal aborts at the limit. The function does not wait for a
 * call that ignores its signal.
 * @throws TimeIsUp
 */
export async function within<T>(
  clock: Clock,
  { timeoutMs, signal }: CallLimit,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const ended = new AbortController();
  // The kubelet's own signal lives as long as the process, so a call must not leave listeners on
  // it.
  const stopListening = signal && onAbort(signal, () => ended.abort(signal.reason));
  let giveUp: (error: TimeIsUp) => void = () => {};
  const tooLate = new Promise<never>((_, reject) => (giveUp = reject));
  const timer = clock.after(timeoutMs, () => {
    giveUp(new TimeIsUp(`no answer within ${timeoutMs / 1000} s`));
    ended.abort();
  });
  try {
    return await Promise.race([call(ended.signal), tooLate]);
  } finally {
    timer.cancel();
    stopListening?.();
  }
}

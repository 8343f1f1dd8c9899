import type { VirtualClock } from "./virtual-clock.ts";

interface WorkInVirtualTime {
  readonly patienceMs: number;
  /** The next step of time, by the milliseconds that have passed. Default: 10 ms. */
  readonly stepMs?: (afterMs: number) => number;
  /** The message if the work takes longer than `patienceMs`. */
  readonly tooLong: string;
}

/** Advances virtual time until the work is done. @throws if the work takes too long. */
export async function advanceUntilDone<T>(
  clock: VirtualClock,
  work: Promise<T>,
  { patienceMs, stepMs = () => 10, tooLong }: WorkInVirtualTime,
): Promise<T> {
  let isDone = false;
  const done = () => (isDone = true);
  work.then(done, done);
  await clock.advance(0);
  let step = 0;
  for (let ms = 0; !isDone; ms += step) {
    step = stepMs(ms);
    if (ms > patienceMs) throw new Error(tooLong);
    await clock.advance(step);
  }
  return work;
}

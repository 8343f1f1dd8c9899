import type { Clock } from "@kintsugi/clock";

/**
 * The earliest time at which a write that is committed now can have been sent, apart from its
 * sender's own delays. A write that waits for a slow disk is in the next batch. It was therefore
 * sent after the commit before the last, because otherwise it would have been in the last batch.
 */
export class SentAfter {
  readonly #clock: Clock;
  /** The times at which the last three batches were committed, the newest last. */
  #commitsMs: readonly [number, number, number] = [0, 0, 0];

  constructor(deps: { clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Counts a change that is committed now. */
  committed(): void {
    const nowMs = this.#clock.monotonicMs();
    const [, before, last] = this.#commitsMs;
    if (nowMs !== last) this.#commitsMs = [before, last, nowMs];
  }

  /** Milliseconds of the monotonic clock; 0 without an earlier commit. */
  get ms(): number {
    return this.#commitsMs[0];
  }
}

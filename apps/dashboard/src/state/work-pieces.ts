import type { Clock } from "@kintsugi/clock";

/** Maximum delay of a frame of the picture while large work is in progress. */
const pieceMs = 5;

/** Interval at which running timers and tables are computed. */
const workOutMs = 500;
/**
 * Share of the page's thread for these computations, which take longer in large clusters, unless
 * the pause would be longer than its maximum.
 */
const workOutShareMax = 0.1;
/**
 * Maximum pause between two computations. The answers would be untrue for longer after one slow
 * computation, for example the first one on a busy machine.
 */
const pauseMaxMs = 2_000;

/** The pause after a computation that took this long. */
export function pauseAfter(busyMs: number): number {
  return Math.min(Math.max(workOutMs, busyMs / workOutShareMax), Math.max(pauseMaxMs, busyMs));
}

/** Splits long work into pieces, between which the browser draws and handles input. */
export class Pieces {
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  #begunMs: number;
  #busyMs = 0;

  constructor(clock: Clock, stop: AbortSignal) {
    this.#clock = clock;
    this.#stop = stop;
    this.#begunMs = clock.monotonicMs();
  }

  /** The time that the pieces took, without the pauses between them. */
  get busyMs(): number {
    return this.#busyMs + this.#clock.monotonicMs() - this.#begunMs;
  }

  /** Gives other work its turn if this piece has lasted long enough. */
  async next(): Promise<void> {
    const tookMs = this.#clock.monotonicMs() - this.#begunMs;
    if (tookMs < pieceMs || this.#stop.aborted) return;
    this.#busyMs += tookMs;
    await this.#clock.sleep(0, this.#stop).catch(() => {});
    this.#begunMs = this.#clock.monotonicMs();
  }
}

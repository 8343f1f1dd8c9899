import type { Clock } from "@kintsugi/clock";
import { silenceMaxMs } from "./known.ts";

/** The longest pause of an informer that could not read: 10 s and half as much again. */
const pauseMaxMs = 15_000;

/**
 * How long the scheduler can have heard of what was committed: as `Known.awakeMs`, on a clock that also stands still while it is
 * deaf, with its line cut or its process stopped, and for a pause after that.
 */
export class SchedulerHearing {
  readonly #clock: Clock;
  readonly #isDeaf: () => boolean;
  #ms = 0;
  #lookedMs: number;
  #deafUntilMs = -Infinity;

  constructor(clock: Clock, isDeaf: () => boolean) {
    this.#clock = clock;
    this.#isDeaf = isDeaf;
    this.#lookedMs = clock.monotonicMs();
  }

  get ms(): number {
    return this.#ms;
  }

  /** To be called whenever something is committed. */
  look(): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#isDeaf()) this.#deafUntilMs = nowMs + pauseMaxMs;
    else if (nowMs >= this.#deafUntilMs) this.#ms += Math.min(nowMs - this.#lookedMs, silenceMaxMs);
    this.#lookedMs = nowMs;
  }
}

import type { Clock } from "@kintsugi/clock";
import type { Known } from "./known.ts";

/** The longest pause of an informer that could not read: 10 s and half as much again. */
const pauseMaxMs = 15_000;

interface HearingDeps {
  clock: Clock;
  known: Pick<Known, "awakeMs">;
  /** Whether his line is cut, or his process stands still. */
  isDeaf: () => boolean;
}

/** Of those who act on what they have heard. */
export interface Hearings {
  readonly scheduler: Hearing;
  readonly controllerManager: Hearing;
}

/**
 * How long somebody can have heard of what was committed: `Known.awakeMs` without the time in which
 * he was deaf, and without a pause after that.
 */
export class Hearing {
  readonly #deps: HearingDeps;
  #ms = 0;
  #awakeMs = 0;
  #deafUntilMs = -Infinity;

  constructor(deps: HearingDeps) {
    this.#deps = deps;
  }

  get ms(): number {
    return this.#ms;
  }

  /** To be called whenever something is committed, when it is known. */
  look(): void {
    const { clock, known, isDeaf } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (isDeaf()) this.#deafUntilMs = nowMs + pauseMaxMs;
    else if (nowMs >= this.#deafUntilMs) this.#ms += known.awakeMs - this.#awakeMs;
    this.#awakeMs = known.awakeMs;
  }
}

import type { Clock } from "@kintsugi/clock";
import type { Known } from "./known.ts";

/** The longest pause of an informer that could not read: 10 s and 50 % jitter. */
const pauseMaxMs = 15_000;

interface HearingDeps {
  clock: Clock;
  known: Pick<Known, "awakeMs">;
  /** Its line is cut, or its process is paused. */
  isDeaf: () => boolean;
}

/** The knowledge of the processes that act on the state they receive. */
export interface Hearings {
  readonly scheduler: Hearing;
  readonly controllerManager: Hearing;
}

/**
 * The time for which a process can have known of a commit: `Known.awakeMs` without the time in
 * which it was cut off, and without a pause after that.
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

  /** Called at every commit, when it is known. */
  look(): void {
    const { clock, known, isDeaf } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (isDeaf()) this.#deafUntilMs = nowMs + pauseMaxMs;
    else if (nowMs >= this.#deafUntilMs) this.#ms += known.awakeMs - this.#awakeMs;
    this.#awakeMs = known.awakeMs;
  }
}

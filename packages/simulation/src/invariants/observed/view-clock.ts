import type { Clock } from "@kintsugi/clock";
import type { Known } from "./known-objects.ts";

/** The longest pause of an informer that could not read: 10 s and 50 % jitter. */
const pauseMaxMs = 15_000;

interface ViewClockDeps {
  clock: Clock;
  known: Pick<Known, "activeMs">;
  /** Reports whether the connection of the process is cut, or the process is paused. */
  isCutOff: () => boolean;
}

/** The knowledge of the processes that act on the state they receive. */
export interface ViewClocks {
  readonly scheduler: ViewClock;
  readonly controllerManager: ViewClock;
}

/**
 * The time for which a process can have known of a commit: `Known.activeMs` without the time in
 * which it was cut off, and without a pause after the cut.
 */
export class ViewClock {
  readonly #deps: ViewClockDeps;
  #ms = 0;
  #activeMs = 0;
  #cutOffUntilMs = -Infinity;

  constructor(deps: ViewClockDeps) {
    this.#deps = deps;
  }

  get ms(): number {
    return this.#ms;
  }

  /** Called at every commit, when it is known. */
  look(): void {
    const { clock, known, isCutOff } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (isCutOff()) this.#cutOffUntilMs = nowMs + pauseMaxMs;
    else if (nowMs >= this.#cutOffUntilMs) this.#ms += known.activeMs - this.#activeMs;
    this.#activeMs = known.activeMs;
  }
}

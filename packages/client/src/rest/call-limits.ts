import { setMaxListeners } from "node:events";
import type { Clock, Timer } from "@kintsugi/clock";

/**
 * A signal that aborts with the caller's, or when the time limit set last runs out. `limit(undefined)` lifts the limit;
 * a new one replaces the one before.
 */
export class CallLimits {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #onOuterAbort = () => this.#controller.abort(this.#outer?.reason);
  #timer: Timer | undefined;

  constructor(clock: Clock, outer: AbortSignal | undefined) {
    this.#clock = clock;
    this.#outer = outer;
    if (outer?.aborted) this.#onOuterAbort();
    else if (outer !== undefined) {
      // A service's signal is behind all of its calls; Node would suspect a leak at the eleventh at once.
      setMaxListeners(0, outer);
      outer.addEventListener("abort", this.#onOuterAbort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  limit(durationMs: number | undefined, reason: () => Error): void {
    this.#timer?.cancel();
    this.#timer =
      durationMs === undefined ? undefined : this.#clock.after(durationMs, () => this.#controller.abort(reason()));
  }

  release(): void {
    this.#timer?.cancel();
    this.#outer?.removeEventListener("abort", this.#onOuterAbort);
  }
}

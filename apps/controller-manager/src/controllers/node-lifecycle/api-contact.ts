import type { Clock } from "@kintsugi/clock";

// Silence of a node only counts while this process can hear: while its calls to the API server
// succeed.
//
//   calls     ok        ok        fails     fails     ok        ok
//   time      0         5         10        15        20        25
//   counted   0         5         5         5         5         10      (5…20 is an outage: it began after the last success)
//
// So an API server that was away for an hour has cost every node nothing.

/** A monotonic clock that stands still while the API server cannot be reached. */
export class ApiContact {
  readonly #clock: Clock;
  #lastSuccessMs: number;
  #outagesMs = 0;
  #reachable = true;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastSuccessMs = clock.monotonicMs();
  }

  get reachable(): boolean {
    return this.#reachable;
  }

  countedMs(): number {
    return (this.#reachable ? this.#clock.monotonicMs() : this.#lastSuccessMs) - this.#outagesMs;
  }

  /** How long ago the API server was last known to answer. */
  sinceSuccessMs(): number {
    return this.#clock.monotonicMs() - this.#lastSuccessMs;
  }

  /**
   * A renewed Lease has come, so the API server commits and tells of it. Only a call of our own
   * ends an outage: what comes over the bus says nothing of whether we are heard.
   */
  heard(): void {
    if (this.#reachable) this.#lastSuccessMs = this.#clock.monotonicMs();
  }

  succeeded(): void {
    const nowMs = this.#clock.monotonicMs();
    if (!this.#reachable) this.#outagesMs += nowMs - this.#lastSuccessMs;
    this.#reachable = true;
    this.#lastSuccessMs = nowMs;
  }

  failed(): void {
    this.#reachable = false;
  }
}

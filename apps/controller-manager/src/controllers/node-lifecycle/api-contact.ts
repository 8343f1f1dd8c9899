import type { Clock } from "@kintsugi/clock";

// Silence of a node only counts while this process could notice a renewal: while its calls to the
// API server succeed.
//
//   calls     ok        ok        fails     fails     ok        ok
//   time      0         5         10        15        20        25
//   counted   0         5         5         5         5         10
//
// The time from 5 to 20 is an outage: it began after the last success. So an API server that was
// away for an hour has cost every node nothing.

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

  /** Returns the time since the API server last answered. */
  sinceSuccessMs(): number {
    return this.#clock.monotonicMs() - this.#lastSuccessMs;
  }

  /**
   * A renewed Lease has come, so the API server commits and publishes. Only this process's own call
   * ends an outage: messages over the bus do not prove that its calls arrive.
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

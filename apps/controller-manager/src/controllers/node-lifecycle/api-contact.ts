import type { Clock } from "@kintsugi/clock";

// Silence of a node counts only while this process could detect a renewal, which is while its calls
// to the API server succeed.
//
//   calls     ok        ok        fails     fails     ok        ok
//   time      0         5         10        15        20        25
//   counted   0         5         5         5         5         10
//
// The time from 5 to 20 is an outage, which began after the last success. An API server that was
// unreachable for an hour therefore adds nothing to a node's silence.

/** A monotonic clock that pauses while the API server is unreachable. */
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

  /** Returns the time since the API server last responded. */
  sinceSuccessMs(): number {
    return this.#clock.monotonicMs() - this.#lastSuccessMs;
  }

  /**
   * Records a renewed Lease, which proves that the API server commits and publishes. Only this
   * process's own call ends an outage, because messages over the bus do not prove that its calls
   * succeed.
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

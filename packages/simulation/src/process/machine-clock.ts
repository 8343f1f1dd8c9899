import { type Clock, sleepOn, type Timer, type TimerKind } from "@kintsugi/clock";

/** Multiplying and dividing by a rate loses a little precision. */
const roundingMs = 1e-6;

/**
 * The clock of one machine: it may be hours off, and run fast or slow. The clock is exact until a
 * fault changes it.
 */
export class MachineClock implements Clock {
  readonly #true: Clock;
  #wallOffsetMs = 0;
  #rate = 1;
  /** Local monotonic time at the instant of true time at which the present rate began. */
  #since = { localMs: 0, trueMs: 0 };

  constructor(trueClock: Clock) {
    this.#true = trueClock;
    this.#since = { localMs: trueClock.monotonicMs(), trueMs: trueClock.monotonicMs() };
  }

  nowMs(): number {
    const { nowMs, monotonicMs } = { nowMs: this.#true.nowMs(), monotonicMs: this.#true.monotonicMs() };
    return nowMs + (this.monotonicMs() - monotonicMs) + this.#wallOffsetMs;
  }

  monotonicMs(): number {
    const { localMs, trueMs } = this.#since;
    if (this.#rate === 1) return localMs + (this.#true.monotonicMs() - trueMs);
    return Math.floor(localMs + (this.#true.monotonicMs() - trueMs) * this.#rate + roundingMs);
  }

  /** Timers that are set keep the rate at which they were set. */
  after(delayMs: number, callback: () => void, kind?: TimerKind): Timer {
    return this.#true.after(this.#rate === 1 ? delayMs : Math.ceil(delayMs / this.#rate - roundingMs), callback, kind);
  }

  sleep(delayMs: number, signal?: AbortSignal, kind?: TimerKind): Promise<void> {
    return sleepOn(this, delayMs, { signal, kind });
  }

  nextTurn(): Promise<void> {
    return this.#true.nextTurn();
  }

  /** Changes wall time only, as an operator or NTP would. */
  jumpWallTime(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** The clock advances by this many seconds in one true second from now on. */
  setRate(rate: number): void {
    this.#since = { localMs: this.monotonicMs(), trueMs: this.#true.monotonicMs() };
    this.#rate = rate;
  }
}

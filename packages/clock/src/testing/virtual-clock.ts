import { type Clock, sleepOn, type Timer } from "../clock.ts";
import { TimerHeap } from "./timer-heap.ts";

/** Turns of the event loop granted after each wake-up, so that promise chains with immediates and I/O of fakes settle. */
const settleTurns = 3;

/**
 * A clock that moves only when told. `advance` wakes sleepers in the order they are due and yields to the
 * event loop between them, so whatever a sleeper starts runs before the next one wakes.
 */
export class VirtualClock implements Clock {
  #elapsedMs = 0;
  #wallOffsetMs: number;
  #order = 0;
  readonly #timers = new TimerHeap();

  /** Starts at `startMs` of wall time; default 2026-01-01T00:00:00Z. */
  constructor(startMs: number = 1_767_225_600_000) {
    this.#wallOffsetMs = startMs;
  }

  nowMs(): number {
    return this.#wallOffsetMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const dueMs = this.#elapsedMs + Math.max(0, delayMs);
    let isPending = true;
    const fire = () => {
      isPending = false;
      callback();
    };
    const timer = { dueMs, order: this.#order++, callback: fire, isCancelled: false };
    this.#timers.push(timer);
    return {
      cancel: () => {
        if (isPending) this.#timers.cancel(timer);
        isPending = false;
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Moves time forward by `durationMs`, firing every timer that falls due on the way. */
  async advance(durationMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + durationMs;
    await this.settle();
    for (let next = this.#timers.popDue(untilMs); next; next = this.#timers.popDue(untilMs)) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.callback();
      await this.settle();
    }
    this.#elapsedMs = untilMs;
    await this.settle();
  }

  /** Lets everything that is ready run, without moving time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < settleTurns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** Moves wall time only, as an operator or NTP would; monotonic time and timers do not notice. */
  jumpWallTime(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** How many callbacks are waiting. */
  pendingTimers(): number {
    return this.#timers.size;
  }
}

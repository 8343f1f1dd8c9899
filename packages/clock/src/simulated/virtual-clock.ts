import { type Clock, sleepOn, type Timer } from "../clock.ts";
import { systemClock } from "../system-clock.ts";
import { PendingTimer, TimerHeap } from "../timer-heap.ts";

export interface VirtualClockOptions {
  /** Wall time at the start. Default 2026-01-01T00:00:00Z. */
  startMs?: number;
  /**
   * The kind of work that a wake-up may start and that has to end before the next wake-up. Default
   * "immediates": promise chains, and fakes that use immediates and the event loop's I/O.
   * "promises" is for worlds that use only promises, and costs a tenth.
   */
  settles?: "promises" | "immediates";
}

/**
 * Turns of the event loop after each wake-up, in which promise chains with immediates and I/O of
 * fakes settle.
 */
const turnsPerStep = 3;
/**
 * The rest of the process (signals, unhandled rejections) still gets a turn after this many
 * wake-ups without turns.
 */
const stepsPerTurn = 256;

/**
 * A clock that moves only on demand. `advance` wakes sleepers in the order in which they are due
 * and, between them, lets the work that a sleeper starts run to its end. Time advances in whole
 * milliseconds. A fraction added to a wall time of thirteen digits is rounded up or down, so that a
 * sleeper that waits for the rest of an interval wakes too early, or waits forever at one instant.
 */
export class VirtualClock implements Clock {
  #elapsedMs = 0;
  #wallOffsetMs: number;
  #order = 0;
  #steps = 0;
  #fired = 0;
  readonly #timers = new TimerHeap();
  readonly #settlesPromisesOnly: boolean;

  constructor({ startMs = 1_767_225_600_000, settles = "immediates" }: VirtualClockOptions = {}) {
    this.#wallOffsetMs = startMs;
    this.#settlesPromisesOnly = settles === "promises";
  }

  nowMs(): number {
    return this.#wallOffsetMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = new PendingTimer(this.#timers, {
      dueMs: this.#elapsedMs + Math.max(0, Math.ceil(delayMs)),
      order: this.#order++,
      callback,
    });
    this.#timers.push(timer);
    return timer;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, { signal });
  }

  nextTurn(): Promise<void> {
    return this.sleep(0);
  }

  /** Moves time forward by `durationMs`, firing every timer that falls due on the way. */
  async advance(durationMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + Math.ceil(durationMs);
    await this.settle();
    for (let next = this.#timers.popDue(untilMs); next; next = this.#timers.popDue(untilMs)) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      this.#fired++;
      next.callback();
      await this.#settleStep();
    }
    this.#elapsedMs = untilMs;
    await this.settle();
  }

  /** Lets everything that is ready run, without moving time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < turnsPerStep; turn++) await systemClock.nextTurn();
  }

  /**
   * Moves wall time only, as an operator or NTP would; monotonic time and timers are unaffected.
   */
  jumpWallTime(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /**
   * Returns the number of callbacks that were called: the work of a virtual time, independent of
   * speed.
   */
  firedTimers(): number {
    return this.#fired;
  }

  /** Returns the number of callbacks that wait. */
  pendingTimers(): number {
    return this.#timers.size;
  }

  #settleStep(): Promise<void> {
    if (!this.#settlesPromisesOnly) return this.settle();
    return ++this.#steps % stepsPerTurn === 0 ? systemClock.nextTurn() : promisesSettled();
  }
}

/** Node runs a tick only when promises do not have pending work. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

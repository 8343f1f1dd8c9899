import { type Clock, sleepOn, type Timer } from "@kintsugi/clock";
import type { Life } from "./life.ts";

/**
 * The machine's clock for one life on it: while the process stands still no timer of it fires, and
 * none when it has ended.
 */
export class LifeClock implements Clock {
  readonly #machine: Clock;
  readonly #life: Life;

  constructor(machine: Clock, life: Life) {
    this.#machine = machine;
    this.#life = life;
  }

  nowMs(): number {
    return this.#machine.nowMs();
  }

  monotonicMs(): number {
    return this.#machine.monotonicMs();
  }

  after(delayMs: number, callback: () => void): Timer {
    let isCancelled = false;
    const timer = this.#machine.after(delayMs, () =>
      // The process may still cancel it by its first actions when it goes on.
      this.#life.whenAwake(() => {
        if (!isCancelled) callback();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  nextTurn(): Promise<void> {
    return this.#machine.nextTurn();
  }
}

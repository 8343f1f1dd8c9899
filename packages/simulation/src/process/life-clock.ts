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
    return new LifeTimer({ machine: this.#machine, life: this.#life }, delayMs, callback);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  nextTurn(): Promise<void> {
    return this.#machine.nextTurn();
  }
}

class LifeTimer implements Timer {
  readonly #timer: Timer;
  #isCancelled = false;

  constructor({ machine, life }: { machine: Clock; life: Life }, delayMs: number, callback: () => void) {
    this.#timer = machine.after(delayMs, () =>
      // The process may still cancel it by its first actions when it goes on.
      life.whenAwake(() => {
        if (this.#isCancelled) return;
        life.wakeUps++;
        callback();
      }),
    );
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#timer.cancel();
  }
}

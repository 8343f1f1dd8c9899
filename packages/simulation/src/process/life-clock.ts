import { type Clock, sleepOn, type Timer, type TimerKind } from "@kintsugi/clock";
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

  after(delayMs: number, callback: () => void, kind?: TimerKind): Timer {
    return new LifeTimer({ machine: this.#machine, life: this.#life }, { delayMs, callback, kind });
  }

  sleep(delayMs: number, signal?: AbortSignal, kind?: TimerKind): Promise<void> {
    return sleepOn(this, delayMs, { signal, kind });
  }

  nextTurn(): Promise<void> {
    return this.#machine.nextTurn();
  }
}

class LifeTimer implements Timer {
  readonly #timer: Timer;
  #isCancelled = false;

  constructor(
    { machine, life }: { machine: Clock; life: Life },
    { delayMs, callback, kind }: { delayMs: number; callback: () => void; kind: TimerKind | undefined },
  ) {
    const fire = () =>
      // The process may still cancel it by its first actions when it continues.
      life.whenAwake(() => {
        if (this.#isCancelled) return;
        life.wakeUps++;
        callback();
      });
    this.#timer = machine.after(delayMs, fire, kind);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#timer.cancel();
  }
}

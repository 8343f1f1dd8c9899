import { type Clock, sleepOn, type Timer, type TimerKind } from "@kintsugi/clock";
import type { Incarnation } from "./incarnation.ts";

/**
 * The machine's clock for one incarnation of a process. Its timers fire neither while the process
 * is paused nor after its end.
 */
export class IncarnationClock implements Clock {
  readonly #machine: Clock;
  readonly #incarnation: Incarnation;

  constructor(machine: Clock, incarnation: Incarnation) {
    this.#machine = machine;
    this.#incarnation = incarnation;
  }

  nowMs(): number {
    return this.#machine.nowMs();
  }

  monotonicMs(): number {
    return this.#machine.monotonicMs();
  }

  after(delayMs: number, callback: () => void, kind?: TimerKind): Timer {
    return new IncarnationTimer(
      { machine: this.#machine, incarnation: this.#incarnation },
      { delayMs, callback, kind },
    );
  }

  sleep(delayMs: number, signal?: AbortSignal, kind?: TimerKind): Promise<void> {
    return sleepOn(this, delayMs, { signal, kind });
  }

  nextTurn(): Promise<void> {
    return this.#machine.nextTurn();
  }
}

class IncarnationTimer implements Timer {
  readonly #timer: Timer;
  #isCancelled = false;

  constructor(
    { machine, incarnation }: { machine: Clock; incarnation: Incarnation },
    { delayMs, callback, kind }: { delayMs: number; callback: () => void; kind: TimerKind | undefined },
  ) {
    const fire = () =>
      // The first actions of the process may still cancel the timer when the process continues.
      incarnation.whenAwake(() => {
        if (this.#isCancelled) return;
        incarnation.wakeUps++;
        callback();
      });
    this.#timer = machine.after(delayMs, fire, kind);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#timer.cancel();
  }
}

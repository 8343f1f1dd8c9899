import { type Clock, onAbort } from "@kintsugi/clock";

/** Wakes a loop that waits: a ring before the wait is not lost, several rings are one. */
export class Doorbell {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves when rung, after `delayMs`, or when the signal aborts. */
  async wait(delayMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          timer.cancel();
          stopListening();
          this.#wake = undefined;
          resolve();
        };
        const timer = this.#clock.after(delayMs, done, "routine");
        this.#wake = done;
        const stopListening = onAbort(signal, done);
      });
    }
    this.#rung = false;
  }
}

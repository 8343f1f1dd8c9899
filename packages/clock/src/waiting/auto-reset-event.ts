import type { Clock } from "../clock.ts";
import { onAbort } from "../on-abort.ts";

/**
 * Wakes a loop that waits. An event that was set before the wait is not lost, and several events
 * count as one.
 */
export class AutoResetEvent {
  readonly #clock: Clock;
  #isSet = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resolves when set, after `delayMs`, or when the signal aborts. */
  async wait(delayMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isSet && !signal.aborted) {
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
    this.#isSet = false;
  }
}

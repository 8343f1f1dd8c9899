import type { Clock } from "../clock.ts";
import { onAbort } from "../on-abort.ts";

/**
 * A loop that waits until there is work. Waking it while it does not wait has no effect, because it
 * checks for work before it waits.
 */
export class Waiter {
  #wake: (() => void) | undefined;

  wake(): void {
    this.#wake?.();
  }

  /** Resolves when woken, or when the signal, which has not aborted yet, aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        stopListening();
        this.#wake = undefined;
        resolve();
      };
      const stopListening = onAbort(signal, done);
      this.#wake = done;
    });
  }

  /** Waits like `wait`, and also resolves after that many milliseconds. */
  async waitAtMost(durationMs: number, clock: Pick<Clock, "after">, signal: AbortSignal): Promise<void> {
    const timer = clock.after(durationMs, () => this.wake());
    await this.wait(signal);
    timer.cancel();
  }
}

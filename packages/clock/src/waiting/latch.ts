import { onAbort } from "../on-abort.ts";

/** Closed at first, and open forever once it was opened. Any number of callers may wait. */
export class Latch {
  readonly #waiting = new Set<() => void>();
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    for (const pass of this.#waiting) pass();
    this.#waiting.clear();
  }

  /** @throws the signal's reason when it aborts first. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isOpen) return resolve();
      if (signal.aborted) return reject(signal.reason as Error);
      const pass = () => {
        stopListening();
        resolve();
      };
      const stopListening = onAbort(signal, () => {
        this.#waiting.delete(pass);
        reject(signal.reason as Error);
      });
      this.#waiting.add(pass);
    });
  }
}

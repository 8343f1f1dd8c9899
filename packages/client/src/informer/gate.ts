import { onAbort } from "@kintsugi/clock";

/** Closed at first, open for ever once opened; any number may wait before it. */
export class Gate {
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

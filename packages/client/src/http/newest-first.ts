import type { Cancellation } from "../rest/transport.ts";

interface Waiting {
  readonly begin: () => void;
}

/**
 * Lets so many calls run at once, and of those that wait the newest first. In the order of their
 * arrival all calls would wait nearly as long as they may, once more come than can be answered, and
 * most would be given up just before their answer; so those that still have time get it.
 */
export class NewestFirst {
  readonly #runningMax: number;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /**
   * Resolves when the call may run; `leave` must follow.
   * @throws the reason for which the call is cancelled meanwhile; then `leave` must not follow.
   */
  enter(cancellation: Cancellation): Promise<void> {
    if (this.#running < this.#runningMax) {
      this.#running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const stopListening = cancellation.onCancel(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(cancellation.reason as Error);
      });
      const waiting: Waiting = {
        begin: () => {
          stopListening();
          resolve();
        },
      };
      this.#waiting.push(waiting);
    });
  }

  leave(): void {
    const newest = this.#waiting.pop();
    if (newest === undefined) this.#running--;
    else newest.begin();
  }
}

import type { Cancellation } from "../rest/transport.ts";

/**
 * The newest call is first when the number of waiting calls is at least this multiple of the number
 * of running calls.
 */
const crowdFactor = 4;

interface Waiting {
  begin(): void;
  isOver: boolean;
}

/**
 * Limits concurrent calls. A few waiting calls run in the order of their arrival. Under overload
 * the newest call runs first: in the order of arrival every call would wait until just before its
 * deadline, and most calls would be abandoned just before their answer.
 */
export class Turns {
  readonly runningMax: number;
  #running = 0;
  /** Calls are in the order of their arrival. Finished calls leave gaps. */
  #waiting: Waiting[] = [];
  #gaps = 0;

  constructor(runningMax: number) {
    this.runningMax = runningMax;
  }

  /** True when a call would have to wait. */
  get areTaken(): boolean {
    return this.#running >= this.runningMax;
  }

  /**
   * Resolves when the call may run; `leave` must follow.
   * @throws the reason for which the call is cancelled while it waits; `leave` must not follow
   * then.
   */
  enter(cancellation: Cancellation): Promise<void> {
    if (!this.areTaken) {
      this.#running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isOver: false,
        begin: () => {
          stopListening();
          resolve();
        },
      };
      const stopListening = cancellation.onCancel(() => {
        waiting.isOver = true;
        this.#gaps++;
        if (this.#gaps > this.#waiting.length / 2) this.#closeGaps();
        reject(cancellation.reason as Error);
      });
      this.#waiting.push(waiting);
    });
  }

  leave(): void {
    const next = this.#next();
    if (next === undefined) this.#running--;
    else next.begin();
  }

  #next(): Waiting | undefined {
    for (;;) {
      const areMany = this.#waiting.length - this.#gaps > crowdFactor * this.runningMax;
      const next = areMany ? this.#waiting.pop() : this.#waiting.shift();
      if (next?.isOver !== true) return next;
      this.#gaps--;
    }
  }

  #closeGaps(): void {
    this.#waiting = this.#waiting.filter(({ isOver }) => !isOver);
    this.#gaps = 0;
  }
}

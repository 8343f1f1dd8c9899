/** Counts promises until they settle, up to a limit. */
export class InFlight {
  readonly #max: number;
  readonly #running = new Set<Promise<void>>();

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Resolves when the number of promises is below the limit. */
  async waitForRoom(): Promise<void> {
    while (this.#running.size >= this.#max) await Promise.race(this.#running);
  }

  /** Counts `work` until it ends. The work has to handle its own errors. */
  add(work: Promise<void>): void {
    const counted = work.finally(() => this.#running.delete(counted));
    this.#running.add(counted);
  }

  /** Resolves when no work is in progress. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}

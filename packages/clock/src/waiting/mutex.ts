/** Runs one task at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<R>(task: () => Promise<R>): Promise<R> {
    const turn = this.#last.then(task);
    // The next task runs even if this task failed; the caller of `run` gets the failure.
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Resolves when the tasks so far have ended. */
  async settled(): Promise<void> {
    await this.#last;
  }
}

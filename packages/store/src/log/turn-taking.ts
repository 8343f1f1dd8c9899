/** Runs one task at a time, in the order of the calls: tasks that touch the disk take turns. */
export class TurnTaking {
  #last: Promise<unknown> = Promise.resolve();

  run<R>(task: () => Promise<R>): Promise<R> {
    const turn = this.#last.then(task);
    // The next in line runs whether or not this one failed; its own caller gets the failure.
    this.#last = turn.catch(() => {});
    return turn;
  }
}

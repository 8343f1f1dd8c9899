/** Runs one task at a time, in the order asked for: what touches the disk takes turns. */
export class TurnTaking {
  #last: Promise<unknown> = Promise.resolve();

  run<R>(task: () => Promise<R>): Promise<R> {
    const turn = this.#last.then(task);
    // The next in line runs whether or not this one failed; its own caller hears of the failure.
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/**
 * Returns `work` so that it never runs concurrently. All calls during a run are served by one more
 * run afterwards, with the last call's argument. Their promises settle when that run settles.
 */
export function oneAtATime<T>(work: (asked: T) => Promise<void>): (asked: T) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: { asked: T; done: Promise<void> } | undefined;
  return (asked) => {
    if (next !== undefined) {
      next.asked = asked;
      return next.done;
    }
    const run = { asked, done: last };
    const begin = (): Promise<void> => {
      next = undefined;
      return work(run.asked);
    };
    run.done = last.then(begin, begin);
    [last, next] = [run.done, run];
    return run.done;
  };
}

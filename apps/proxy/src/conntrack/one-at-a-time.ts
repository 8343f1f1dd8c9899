/**
 * `work`, but never twice at a time: all that is asked while it runs is served by one more run
 * afterwards, with what was asked last. What is returned settles as that run does.
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

import { setMaxListeners } from "node:events";

/**
 * Runs all parts until the signal aborts or one of them fails. Then the others are aborted, and the
 * call resolves when all parts have ended.
 * @throws the first failure. Errors after the signal has aborted are ignored: a part may fail at
 * its end.
 */
export async function runTogether(
  signal: AbortSignal,
  parts: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const failed = new AbortController();
  const ends = AbortSignal.any([signal, failed.signal]);
  // Every informer, worker and call in flight listens to the signal, and other limits bound their
  // number.
  setMaxListeners(0, ends);
  await Promise.allSettled(
    parts.map(async (part) => {
      try {
        await part(ends);
      } catch (error) {
        if (!signal.aborted) failed.abort(error);
      }
    }),
  );
  failed.signal.throwIfAborted();
}

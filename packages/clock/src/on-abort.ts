/** The listeners of each signal. */
const listenersOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when the signal aborts, unless the returned function is called before. The same
 * as addEventListener and removeEventListener at a tenth of the cost, and with no limit: every call
 * and every pause of a service waits for the same signal.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let listeners = listenersOf.get(signal);
  if (listeners === undefined) {
    listeners = new Set();
    listenersOf.set(signal, listeners);
    signal.addEventListener("abort", () => callAll(signal), { once: true });
  }
  // One function may listen twice: each is its own.
  const own = () => listener();
  listeners.add(own);
  return () => listeners.delete(own);
}

/** Resolves when the signal aborts, or if it has. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });
}

function callAll(signal: AbortSignal): void {
  const listeners = listenersOf.get(signal);
  listenersOf.delete(signal);
  for (const listener of listeners ?? []) listener();
}

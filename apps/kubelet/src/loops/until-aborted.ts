import { onAbort } from "@kintsugi/clock";

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    onAbort(signal, resolve);
  });
}

import type { Clock } from "./clock.ts";
import { onAbort } from "./on-abort.ts";

/** Resolves in the next turn, or when the signal aborts. No listener remains on the signal. */
export function turnOrAbort(clock: Pick<Clock, "nextTurn">, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const forget = onAbort(signal, resolve);
    void clock.nextTurn().then(() => {
      forget();
      resolve();
    });
  });
}

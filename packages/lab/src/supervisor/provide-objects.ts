import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";

/**
 * Delays that are short at first, then long, because a server either starts within seconds or has a
 * lasting fault.
 */
const retryMs = 2_000;
const triesMax = 150;

/**
 * Repeats `provide` until the API server has accepted the objects, because the server may still be
 * starting when everything else is up, and later steps do not create the objects. Gives up after 5
 * minutes, with a warning.
 */
export async function provideObjects(
  { clock, log }: { clock: Clock; log: Logger },
  { what, provide }: { what: string; provide: () => Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      await provide();
      return;
    } catch (error) {
      if (tries === triesMax) {
        log.warn(`there is no ${what}`, { error });
        return;
      }
      await clock.sleep(retryMs, signal).catch(() => {});
    }
  }
}

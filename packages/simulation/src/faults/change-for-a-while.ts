import { isApiError } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Undo } from "./fault.ts";

const retryMs = 1000;

/**
 * Writes a change, and writes it back when the fault is undone, with retries until the API is
 * reachable. A write that failed and may have happened is written back immediately.
 * @throws as `apply`
 */
export async function changeForAWhile(
  clock: Clock,
  change: { apply: () => Promise<void>; undo: () => Promise<void> },
): Promise<Undo> {
  const undo = async (): Promise<void> => {
    try {
      await change.undo();
    } catch {
      clock.after(retryMs, () => void undo());
    }
  };
  try {
    await change.apply();
  } catch (error) {
    // A rejected change has no effect. A change without a response, or with an error of a server
    // whose disk just failed, may have an effect.
    const wasRefused = isApiError(error) && error.code < 500;
    if (!wasRefused) void undo();
    throw error;
  }
  return undo;
}

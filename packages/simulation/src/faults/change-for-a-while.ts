import { isApiError } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Undo } from "./fault.ts";

const retryMs = 1000;

/**
 * Writes something, and writes it back when it is undone, again and again until the API can be
 * reached. A write that failed and may have happened is written back immediately.
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
    // A refused change has no effect. One without an answer, or with that of a server whose disk
    // failed just then, may have one.
    const wasRefused = isApiError(error) && error.code < 500;
    if (!wasRefused) void undo();
    throw error;
  }
  return undo;
}

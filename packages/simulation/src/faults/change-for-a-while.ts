import { isApiError } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Undo } from "./fault.ts";

const retryMs = 1000;

/**
 * Writes something, and writes it back when it is undone, again and again until the API can be
 * reached. What may have been written although it failed is written back at once. @throws as
 * `apply`
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
    // Who was refused has changed nothing. Who got no answer, or that of a server whose disk failed
    // just then, may have.
    const wasRefused = isApiError(error) && error.code < 500;
    if (!wasRefused) void undo();
    throw error;
  }
  return undo;
}

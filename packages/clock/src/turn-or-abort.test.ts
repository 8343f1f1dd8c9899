import { expect, test } from "vitest";
import { systemClock } from "./system-clock.ts";
import { turnOrAbort } from "./turn-or-abort.ts";

test("a pause of a turn ends with the turn, or with the signal if no turn occurs", async () => {
  const controller = new AbortController();
  await expect(turnOrAbort(systemClock, controller.signal)).resolves.toBeUndefined();
  const still = turnOrAbort({ nextTurn: () => new Promise(() => {}) }, controller.signal);
  controller.abort();
  await expect(still).resolves.toBeUndefined();
});

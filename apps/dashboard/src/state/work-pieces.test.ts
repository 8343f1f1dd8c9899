import type { Clock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { Pieces } from "./work-pieces.ts";

test("long work pauses after each chunk, and its time is summed up without the pauses", async () => {
  let nowMs = 0;
  let pauses = 0;
  const clock: Clock = Object.assign(new VirtualClock(), {
    monotonicMs: () => nowMs,
    sleep: async () => {
      pauses++;
      nowMs += 100;
    },
  });
  const pieces = new Pieces(clock, new AbortController().signal);
  for (const workMs of [2, 2, 2, 9, 1]) {
    nowMs += workMs;
    await pieces.next();
  }
  expect(pauses).toBe(2);
  expect(pieces.busyMs).toBe(16);
});

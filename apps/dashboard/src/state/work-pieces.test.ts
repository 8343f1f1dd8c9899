import type { Clock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { pauseAfter, Pieces } from "./work-pieces.ts";

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

test("the pause after a computation is a multiple of its time, and the answers stay young", () => {
  expect([5, 100, 700, 3_000].map(pauseAfter)).toEqual([500, 1_000, 2_000, 3_000]);
});

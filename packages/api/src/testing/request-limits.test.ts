import { setImmediate } from "node:timers";
import { expect, test } from "vitest";
import { costFaults, threadWorkedMs, TurnMeter, withinLimits } from "./request-limits.ts";

function work(ms: number): void {
  const endMs = threadWorkedMs() + ms;
  while (threadWorkedMs() < endMs);
}

test("the longest of several turns is measured, and not their sum", async () => {
  using meter = new TurnMeter();
  for (let turn = 0; turn < 4; turn++) {
    work(turn === 2 ? 60 : 30);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const longestMs = meter.takeLongestMs();
  expect(longestMs).toBeGreaterThan(50);
  expect(longestMs).toBeLessThan(110);
  await new Promise((resolve) => setImmediate(resolve));
  expect(meter.takeLongestMs()).toBeLessThan(50);
});

test("a property case that takes too long or retains too much fails", () => {
  const kept: unknown[] = [];
  const body = withinLimits((ms: number, megabytes: number) => {
    work(ms);
    if (megabytes > 0) kept.push(new Uint8Array(megabytes * 2 ** 20));
  });
  body(10, 1);
  expect(() => body(260, 0)).toThrow(/the case blocks: \d+ ms of work/);
  expect(() => body(0, 70)).toThrow(/the case keeps: \d+ MB more/);
  expect(kept.length).toBe(3);
});

test("a case that is slow only the first time is within the limits", () => {
  let runs = 0;
  const body = withinLimits(() => work(runs++ === 0 ? 260 : 1));
  body();
  expect(runs).toBe(2);
});

test("a cost at the limit has no fault", () => {
  expect(costFaults({ turnWorkedMs: 250, keptBytes: 64 * 2 ** 20 })).toEqual([]);
});

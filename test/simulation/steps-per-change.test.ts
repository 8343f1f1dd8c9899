import { expect, test } from "vitest";
import { runNodes } from "./steps-per-change.ts";

/** Twice the measured number. */
const stepsPerChangeMax = 10;

test("a change needs a few steps of the virtual clock, and no more with three times as many nodes", async () => {
  const run = { minutes: 3, profile: "fast" as const };
  const few = await runNodes({ ...run, nodes: 6, pods: 6 });
  const many = await runNodes({ ...run, nodes: 18, pods: 18 });
  expect([few.readyPods, many.readyPods]).toEqual([6, 18]);
  expect(many.changes).toBeGreaterThan(2 * few.changes);
  expect(many.stepsPerChange).toBeLessThan(stepsPerChangeMax);
  expect(many.stepsPerChange).toBeLessThan(few.stepsPerChange * 1.1);
}, 300_000);

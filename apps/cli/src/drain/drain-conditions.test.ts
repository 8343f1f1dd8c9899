import type { Node } from "@kintsugi/api";
import { expect, test } from "vitest";
import { drainConditions, isMarkedByDrain } from "./drain-conditions.ts";

const nowMs = 1_767_225_600_000;
const now = "2026-01-01T00:00:00Z";
const node = (...conditions: NonNullable<NonNullable<Node["status"]>["conditions"]>): Node => ({
  metadata: {},
  status: { conditions },
});
const about = { message: "m", nowMs };

test.each([
  ["started", "True", "False", "KintsugiDrainStarted"],
  ["completed", "False", "True", "KintsugiDrainCompleted"],
  ["failed", "False", "False", "KintsugiDrainFailed"],
  ["interrupted", "False", "False", "KintsugiDrainInterrupted"],
  ["uncordoned", "False", "False", "KintsugiUncordoned"],
] as const)("%s: DrainInProgress=%s, Drained=%s, as in KEP-5683", (step, inProgress, drained, reason) => {
  expect(drainConditions(node(), step, about)).toEqual([
    { type: "DrainInProgress", status: inProgress, reason, message: "m", lastTransitionTime: now },
    { type: "Drained", status: drained, reason, message: "m", lastTransitionTime: now },
  ]);
});

test("the time changes only with the status, and no other condition is in the patch", () => {
  const earlier = "2025-12-31T00:00:00Z";
  const ready = { type: "Ready", status: "True" as const };
  const running = { type: "DrainInProgress", status: "True" as const, lastTransitionTime: earlier };
  const done = { type: "Drained", status: "True" as const, lastTransitionTime: earlier };
  const next = drainConditions(node(ready, running, done), "started", about);
  expect(next.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
    ["DrainInProgress", earlier],
    ["Drained", now],
  ]);
});

test("only a node with such a condition is marked", () => {
  expect(isMarkedByDrain(node())).toBe(false);
  expect(isMarkedByDrain(node({ type: "Drained", status: "False" }))).toBe(false);
  expect(isMarkedByDrain(node({ type: "DrainInProgress", status: "True" }))).toBe(true);
});

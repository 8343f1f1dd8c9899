import { expect, test } from "vitest";
import { parseTimestamp } from "../../../../values/timestamp.ts";
import { isDisruptedBy, withDisruptionTarget } from "./disruption.ts";

const ready = { type: "Ready", status: "True" as const, lastTransitionTime: "2026-01-01T00:00:00Z" };
const evicted = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" } as const;
const nowMs = parseTimestamp("2026-01-02T00:00:00Z");

test("who takes a pod away says so beside what else is said, once, and keeps since when", () => {
  const conditions = withDisruptionTarget([ready], evicted, nowMs);
  expect(conditions).toEqual([
    ready,
    { type: "DisruptionTarget", status: "True", ...evicted, lastTransitionTime: "2026-01-02T00:00:00Z" },
  ]);
  expect(withDisruptionTarget(conditions, evicted, nowMs + 1000)).toBe(conditions);
  const [, other] = withDisruptionTarget(conditions, { reason: "DeletionByPodGC", message: "m" }, nowMs + 1000);
  expect(other).toMatchObject({ reason: "DeletionByPodGC", lastTransitionTime: "2026-01-02T00:00:00Z" });
});

test("for whom a pod goes is asked by reason", () => {
  const conditions = withDisruptionTarget(undefined, evicted, nowMs);
  expect(isDisruptedBy(conditions, "EvictionByEvictionAPI")).toBe(true);
  expect(isDisruptedBy(conditions, "DeletionByPodGC")).toBe(false);
  const [target] = conditions;
  expect(isDisruptedBy(target && [{ ...target, status: "False" }], "EvictionByEvictionAPI")).toBe(false);
  expect(isDisruptedBy(undefined, "EvictionByEvictionAPI")).toBe(false);
});

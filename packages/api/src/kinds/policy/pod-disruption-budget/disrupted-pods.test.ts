import { describe, expect, test } from "vitest";
import { formatTimestamp } from "../../../values/timestamp.ts";
import type { Pod } from "../../core/pod/pod.ts";
import { disruptedSince, withDisruptedPod } from "./disrupted-pods.ts";

const nowMs = 1_767_225_600_400;
const dayMs = 86_400_000;
const podCreatedAt = (createdMs: number): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "db-2", creationTimestamp: formatTimestamp(createdMs) },
});
const evictedOf = (createdMs: number) => ({ disruptedPods: withDisruptedPod({}, podCreatedAt(createdMs), nowMs) });

describe.each([
  ["an hour before its eviction", nowMs - 3_600_000],
  ["in the second of its eviction", nowMs - 200],
  ["by a clock that is ahead by ten seconds", nowMs + 10_000],
  ["by a clock that was ahead by a day", nowMs + dayMs],
])("a pod that was created %s", (_when, createdMs) => {
  test("is disrupted, by every clock within the tolerated difference", () => {
    const budget = evictedOf(createdMs);
    for (const laterMs of [0, 400, 1000, 9000]) {
      expect(disruptedSince(budget, podCreatedAt(createdMs), nowMs + laterMs)).toBeGreaterThanOrEqual(nowMs - 400);
    }
  });

  test("counts again within three minutes if it is not deleted", () => {
    expect(disruptedSince(evictedOf(createdMs), podCreatedAt(createdMs), nowMs)).toBeLessThanOrEqual(nowMs + 60_000);
  });
});

describe("the next pod of the same name", () => {
  test("is not disrupted, although it was created in the second of the eviction", () => {
    const budget = evictedOf(nowMs - 3_600_000);
    expect(disruptedSince(budget, podCreatedAt(nowMs), nowMs)).toBeUndefined();
    expect(disruptedSince(budget, podCreatedAt(nowMs + 5000), nowMs + 6000)).toBeUndefined();
  });

  test("is treated as the evicted pod where no time can distinguish them", () => {
    expect(disruptedSince(evictedOf(nowMs - 200), podCreatedAt(nowMs), nowMs)).toBeDefined();
  });
});

test("an eviction of the day after tomorrow was written by a wrong clock", () => {
  const budget = { disruptedPods: { "db-2": formatTimestamp(nowMs + dayMs) } };
  expect(disruptedSince(budget, podCreatedAt(nowMs - dayMs), nowMs)).toBeUndefined();
});

test("a pod with the name of a built-in object property is not treated as disrupted", () => {
  const pod: Pod = { ...podCreatedAt(nowMs), metadata: { name: "constructor" } };
  expect(disruptedSince({ disruptedPods: {} }, pod, nowMs)).toBeUndefined();
  expect(disruptedSince(undefined, pod, nowMs)).toBeUndefined();
});

test("other pods remain in the map", () => {
  const disruptedPods = { other: formatTimestamp(nowMs) };
  const both = withDisruptedPod({ disruptedPods }, podCreatedAt(nowMs - dayMs), nowMs);
  expect(both).toEqual({ other: formatTimestamp(nowMs), "db-2": formatTimestamp(nowMs) });
});

import { describe, expect, test } from "vitest";
import { type ConditionLike, findCondition, isConditionTrue, withCondition, withoutCondition } from "./conditions.ts";

const ready: ConditionLike = {
  type: "Ready",
  status: "True",
  reason: "Up",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const nowMs = 1_767_323_045_000;
const now = "2026-01-02T03:04:05Z";

describe("setting a condition", () => {
  test("adds it with the time it was set", () => {
    expect(withCondition(undefined, { type: "Ready", status: "True" }, nowMs)).toEqual([
      { type: "Ready", status: "True", lastTransitionTime: now },
    ]);
  });

  test("changes the time when the status changes", () => {
    const next = withCondition([ready], { type: "Ready", status: "False", reason: "Down" }, nowMs);
    expect(next).toEqual([{ type: "Ready", status: "False", reason: "Down", lastTransitionTime: now }]);
  });

  test("keeps the time when only the reason changes", () => {
    const next = withCondition([ready], { type: "Ready", status: "True", reason: "Fine" }, nowMs);
    expect(next[0]).toEqual({ ...ready, reason: "Fine" });
  });

  test("returns the same list when nothing changes", () => {
    const list = [ready];
    expect(withCondition(list, { type: "Ready", status: "True", reason: "Up" }, nowMs)).toBe(list);
  });

  test("records the observed generation", () => {
    const next = withCondition([ready], { type: "Ready", status: "True", observedGeneration: 2 }, nowMs);
    expect(next[0]?.observedGeneration).toBe(2);
  });

  test("keeps the positions of other conditions", () => {
    const other: ConditionLike = { type: "Other", status: "Unknown" };
    expect(withCondition([other, ready], { type: "Other", status: "True" }, nowMs).map(({ type }) => type)).toEqual([
      "Other",
      "Ready",
    ]);
  });
});

test("a condition is found by its type", () => {
  expect(findCondition([ready], "Ready")).toBe(ready);
  expect(isConditionTrue([ready], "Ready")).toBe(true);
  expect(isConditionTrue(undefined, "Ready")).toBe(false);
});

test("a missing condition is not removed", () => {
  const list = [ready];
  expect(withoutCondition(list, "Other")).toBe(list);
  expect(withoutCondition(list, "Ready")).toEqual([]);
});

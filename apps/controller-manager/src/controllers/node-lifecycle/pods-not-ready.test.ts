import { findCondition, formatTimestamp, type Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod } from "../../testing/test-cluster.ts";
import { planPodNotReady } from "./pods-not-ready.ts";

const nowMs = 1_767_225_660_000;
const pod = aPod("p", { node: "n" });
const neverReported: Pod = { ...pod, status: { phase: "Pending" } };

describe("a pod is removed from service", () => {
  test.each([
    { name: "when its node is silent", pod, node: "Unknown", expected: true },
    { name: "when its node reports NotReady", pod, node: "False", expected: true },
    { name: "but not while its node is Ready", pod, node: "True", expected: false },
    { name: "but not while its node's state is unknown", pod, node: undefined, expected: false },
    { name: "but not twice", pod: aPod("p", { ready: false }), node: "Unknown", expected: false },
    { name: "but not before the node's first report", pod: neverReported, node: "Unknown", expected: false },
  ])("$name", ({ pod: seen, node, expected }) => {
    expect(planPodNotReady(seen, node, nowMs) !== undefined).toBe(expected);
  });

  test("by its Ready condition alone, with the time of the change", () => {
    const next = planPodNotReady(pod, "Unknown", nowMs);
    expect(findCondition(next?.status?.conditions, "Ready")).toEqual({
      type: "Ready",
      status: "False",
      lastTransitionTime: formatTimestamp(nowMs),
    });
    expect({ ...next, status: { ...next?.status, conditions: pod.status?.conditions } }).toEqual(pod);
  });
});

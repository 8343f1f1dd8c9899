import { expect, test } from "vitest";
import { parseTimestamp } from "../../../../values/timestamp.ts";
import type { Pod } from "../pod.ts";
import type { PodCondition } from "../status/pod-status.ts";
import { isDisruptedBy, withDisruptionTarget } from "./disruption.ts";

const ready = { type: "Ready", status: "True" as const, lastTransitionTime: "2026-01-01T00:00:00Z" };
const evicted = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" } as const;
const podWith = (conditions: PodCondition[] | undefined): Pod => ({
  metadata: { generation: 3 },
  status: conditions === undefined ? {} : { conditions },
});
const nowMs = parseTimestamp("2026-01-02T00:00:00Z");

test("a disruption is added to the pod's other conditions once, and keeps its time", () => {
  const conditions = withDisruptionTarget(podWith([ready]), evicted, nowMs);
  expect(conditions).toEqual([
    ready,
    {
      type: "DisruptionTarget",
      status: "True",
      ...evicted,
      observedGeneration: 3,
      lastTransitionTime: "2026-01-02T00:00:00Z",
    },
  ]);
  expect(withDisruptionTarget(podWith(conditions), evicted, nowMs + 1000)).toBe(conditions);
  const [, other] = withDisruptionTarget(
    podWith(conditions),
    { reason: "DeletionByPodGC", message: "m" },
    nowMs + 1000,
  );
  expect(other).toMatchObject({ reason: "DeletionByPodGC", lastTransitionTime: "2026-01-02T00:00:00Z" });
});

test("a pod's disruption is matched by its reason", () => {
  const conditions = withDisruptionTarget(podWith(undefined), evicted, nowMs);
  expect(isDisruptedBy(conditions, "EvictionByEvictionAPI")).toBe(true);
  expect(isDisruptedBy(conditions, "DeletionByPodGC")).toBe(false);
  const [target] = conditions;
  expect(isDisruptedBy(target && [{ ...target, status: "False" }], "EvictionByEvictionAPI")).toBe(false);
  expect(isDisruptedBy(undefined, "EvictionByEvictionAPI")).toBe(false);
});

import { describe, expect, test } from "vitest";
import { noPressure, type EvictionPolicy, type EvictionState, planEviction } from "./plan-eviction.ts";
import type { Observations } from "./signals.ts";
import { evictionHardDefault, parseThresholds, type ThresholdTexts } from "./thresholds.ts";

const mebibyte = 1024 * 1024;

function policyOf(texts: Partial<ThresholdTexts>, pressureTransitionPeriodMs = 300_000): EvictionPolicy {
  const thresholds = parseThresholds({ hard: [], soft: [], softGracePeriod: [], minimumReclaim: [], ...texts });
  return { thresholds, pressureTransitionPeriodMs };
}

const memory = (availableMebibytes: number): Observations => ({
  "memory.available": { available: availableMebibytes * mebibyte, capacity: 1000 * mebibyte },
});

/** Simulates a series of inspections of the node, in seconds and MiB, and returns their results. */
function watch(policy: EvictionPolicy, looks: readonly (readonly [seconds: number, availableMebibytes: number])[]) {
  let state: EvictionState = noPressure;
  return looks.map(([seconds, available]) => {
    const plan = planEviction({ observations: memory(available), state }, policy, seconds * 1000);
    state = plan.state;
    return `${plan.conditions.join() || "no pressure"}${plan.reclaim.length > 0 ? ", reclaim" : ""}`;
  });
}

test("below a hard threshold pods are evicted immediately, and the condition lasts for the transition period after it", () => {
  const policy = policyOf({ hard: ["memory.available<100Mi"] }, 60_000);
  expect(
    watch(policy, [
      [0, 200],
      [10, 100],
      [20, 99],
      [30, 150],
      [70, 150],
      [80, 150],
    ]),
  ).toEqual([
    "no pressure",
    "no pressure",
    "MemoryPressure, reclaim",
    "MemoryPressure",
    "MemoryPressure",
    "no pressure",
  ]);
});

test("below a soft threshold the condition is set immediately, and pods are evicted after an unbroken grace period", () => {
  const policy = policyOf({
    soft: ["memory.available<20%"],
    softGracePeriod: ["memory.available=30s"],
  });
  expect(
    watch(policy, [
      [0, 190],
      [20, 190],
      [25, 210],
      [29, 190],
      [50, 190],
      [59, 190],
    ]),
  ).toEqual([
    "MemoryPressure",
    "MemoryPressure",
    "MemoryPressure",
    "MemoryPressure",
    "MemoryPressure",
    "MemoryPressure, reclaim",
  ]);
});

test("a threshold that was met ends only when the minimum reclaim is also free", () => {
  const policy = policyOf({ hard: ["memory.available<100Mi"], minimumReclaim: ["memory.available=50Mi"] }, 0);
  expect(
    watch(policy, [
      [0, 120],
      [10, 99],
      [20, 149],
      [30, 150],
      [40, 120],
    ]),
  ).toEqual(["no pressure", "MemoryPressure, reclaim", "MemoryPressure, reclaim", "no pressure", "no pressure"]);
});

test("memory is reclaimed first, and an unreadable signal does not cause pressure", () => {
  const policy = policyOf({ hard: [...evictionHardDefault, "pid.available<10"] });
  const short = { available: 1, capacity: 1000 };
  const { reclaim, conditions } = planEviction(
    {
      observations: { "imagefs.available": short, "memory.available": short, "pid.available": short },
      state: noPressure,
    },
    policy,
    0,
  );
  expect(reclaim.map(({ signal }) => signal)).toEqual(["memory.available", "imagefs.available", "pid.available"]);
  expect(conditions).toEqual(["MemoryPressure", "DiskPressure", "PIDPressure"]);
});

describe("thresholds", () => {
  test.each([
    { hard: ["memory<100Mi"], says: /"memory<100Mi" is not signal<value with a signal of memory.available/ },
    { hard: ["memory.available>100Mi"], says: /is not signal<value/ },
    { hard: ["memory.available<lots"], says: /neither an amount such as 100Mi nor a percentage/ },
    { hard: ["memory.available<101%"], says: /more than 100%/ },
    {
      soft: ["memory.available<1Gi"],
      says: /grace period must be specified for the soft eviction threshold memory.available/,
    },
  ])("that make no sense are rejected: $states", ({ says, ...texts }) => {
    expect(() => policyOf(texts)).toThrow(says);
  });

  test("of 0% and 100% are disabled", () => {
    expect(policyOf({ hard: ["nodefs.available<0%", "imagefs.available<100%"] }).thresholds).toEqual([]);
  });
});

import type { HorizontalPodAutoscalerBehavior } from "@kintsugi/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundReplicas, type BoundsQuestion } from "./bound-replicas.ts";
import { beginHistory, isAhead, type ScalingHistory, withScaleEvent } from "./scaling-history.ts";

const nowMs = 1_767_225_600_000;
const second = 1000;
const base: BoundsQuestion = {
  recommended: 5,
  currentReplicas: 5,
  minReplicas: 1,
  maxReplicas: 100,
  behavior: undefined,
  downscaleStabilizationMs: 300 * second,
  nowMs,
};
const none: ScalingHistory = { recommendations: [], ups: [], downs: [] };

function bound(question: Partial<BoundsQuestion>, history: ScalingHistory = none) {
  const { desired, able, limited } = boundReplicas({ ...base, ...question }, history);
  return [desired, able.reason, `${limited.reason} ${limited.isLimited}`] as const;
}

describe("without a behavior", () => {
  test.each<[string, Partial<BoundsQuestion>, readonly [number, string, string]]>([
    ["the recommendation", { recommended: 7 }, [7, "ReadyForNewScale", "DesiredWithinRange false"]],
    ["at most twice as many", { recommended: 30 }, [10, "ReadyForNewScale", "ScaleUpLimit true"]],
    ["four instead of one", { recommended: 30, currentReplicas: 1 }, [4, "ReadyForNewScale", "ScaleUpLimit true"]],
    ["at most the upper bound", { recommended: 9, maxReplicas: 8 }, [8, "ReadyForNewScale", "TooManyReplicas true"]],
    ["at least the lower bound", { recommended: 0, minReplicas: 2 }, [2, "ReadyForNewScale", "TooFewReplicas true"]],
  ])("there are %s", (_what, question, expected) => {
    expect(bound(question)).toEqual(expected);
  });

  test("a higher recommendation within the window keeps the number", () => {
    const history = beginHistory(5, nowMs - 300 * second);
    expect(bound({ recommended: 2 }, history)).toEqual([5, "ScaleDownStabilized", "DesiredWithinRange false"]);
    expect(bound({ recommended: 2, nowMs: nowMs + 1 }, history)[0]).toBe(2);
  });
});

const policy = (type: "Pods" | "Percent", value: number, periodSeconds = 60) => ({ type, value, periodSeconds });

function behaviorOf(
  scaleUp: HorizontalPodAutoscalerBehavior["scaleUp"],
  scaleDown: HorizontalPodAutoscalerBehavior["scaleDown"] = {},
): HorizontalPodAutoscalerBehavior {
  return {
    scaleUp: { selectPolicy: "Max", policies: [policy("Percent", 100)], stabilizationWindowSeconds: 0, ...scaleUp },
    scaleDown: { selectPolicy: "Max", policies: [policy("Percent", 100)], stabilizationWindowSeconds: 0, ...scaleDown },
  };
}

describe("with a behavior", () => {
  const two = [policy("Pods", 4), policy("Percent", 10)];
  test.each<[string, number, HorizontalPodAutoscalerBehavior, readonly [number, string]]>([
    ["the largest change upwards", 90, behaviorOf({ policies: two }), [24, "ScaleUpLimit true"]],
    ["the smallest change upwards", 90, behaviorOf({ policies: two, selectPolicy: "Min" }), [22, "ScaleUpLimit true"]],
    ["no pods upwards", 90, behaviorOf({ policies: two, selectPolicy: "Disabled" }), [20, "ScaleUpLimit true"]],
    ["the largest change downwards", 1, behaviorOf({}, { policies: two }), [16, "ScaleDownLimit true"]],
    [
      "the smallest change downwards",
      1,
      behaviorOf({}, { policies: two, selectPolicy: "Min" }),
      [18, "ScaleDownLimit true"],
    ],
    ["no pods downwards", 1, behaviorOf({}, { policies: two, selectPolicy: "Disabled" }), [20, "ScaleDownLimit true"]],
    ["the recommendation", 23, behaviorOf({ policies: two }), [23, "DesiredWithinRange false"]],
  ])("policies admit %s", (_what, recommended, behavior, [desired, limit]) => {
    expect(bound({ recommended, currentReplicas: 20, behavior })).toEqual([desired, "ReadyForNewScale", limit]);
  });

  test("bounds apply regardless of the policies", () => {
    const behavior = behaviorOf({});
    const question = { currentReplicas: 20, behavior, minReplicas: 10, maxReplicas: 30 };
    expect(bound({ ...question, recommended: 90 })).toEqual([30, "ReadyForNewScale", "TooManyReplicas true"]);
    expect(bound({ ...question, recommended: 1 })).toEqual([10, "ReadyForNewScale", "TooFewReplicas true"]);
  });

  test("a policy counts the changes of its period", () => {
    const behavior = behaviorOf({ policies: [policy("Pods", 4)] }, { policies: [policy("Pods", 4)] });
    const history = withScaleEvent(none, "ups", { change: 3, atMs: nowMs - 59 * second });
    expect(bound({ recommended: 50, currentReplicas: 20, behavior }, history)[0]).toBe(21);
    expect(bound({ recommended: 50, currentReplicas: 20, behavior, nowMs: nowMs + second }, history)[0]).toBe(24);
    const shrunk = withScaleEvent(none, "downs", { change: 6, atMs: nowMs - second });
    expect(bound({ recommended: 1, currentReplicas: 20, behavior }, shrunk)[0]).toBe(20);
  });

  test("both windows keep the number until all recommendations in the window agree", () => {
    const behavior = behaviorOf({ stabilizationWindowSeconds: 60 }, { stabilizationWindowSeconds: 120 });
    const recommendations = [
      { replicas: 6, atMs: nowMs - 30 * second },
      { replicas: 3, atMs: nowMs - 90 * second },
    ];
    const history = { ...none, recommendations };
    expect(bound({ recommended: 9, behavior }, history)).toEqual([6, "ScaleUpStabilized", "DesiredWithinRange false"]);
    const lower = { ...none, recommendations: [{ replicas: 4, atMs: nowMs - 100 * second }] };
    expect(bound({ recommended: 2, behavior }, lower)).toEqual([4, "ScaleDownStabilized", "DesiredWithinRange false"]);
  });

  test("the downscale window is the option's window if the behavior does not have a window", () => {
    const behavior = behaviorOf({}, { stabilizationWindowSeconds: undefined });
    const history = beginHistory(5, nowMs - 299 * second);
    expect(bound({ recommended: 2, behavior }, history)[0]).toBe(5);
    expect(bound({ recommended: 2, behavior, downscaleStabilizationMs: second }, history)[0]).toBe(2);
  });
});

const rules = fc.record(
  {
    selectPolicy: fc.constantFrom("Max" as const, "Min" as const, "Disabled" as const),
    policies: fc.array(
      fc.record({
        type: fc.constantFrom("Pods" as const, "Percent" as const),
        value: fc.integer({ min: 1, max: 300 }),
        periodSeconds: fc.integer({ min: 1, max: 1800 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    stabilizationWindowSeconds: fc.integer({ min: 0, max: 3600 }),
  },
  { requiredKeys: ["policies"] },
);

test("a long run of decisions stays within the bounds and ends at a steady recommendation without reversing", () => {
  fc.assert(
    fc.property(
      fc.option(fc.record({ scaleUp: rules, scaleDown: rules }), { nil: undefined }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 30 }),
      fc.integer({ min: 0, max: 100 }),
      (behavior, minReplicas, more, wild, steady) => {
        const maxReplicas = minReplicas + more;
        let current = minReplicas;
        let history = beginHistory(current, nowMs);
        const sizes: number[] = [];
        const step = (recommended: number, atMs: number) => {
          const question = { ...base, recommended, currentReplicas: current, minReplicas, maxReplicas, behavior };
          const answer = boundReplicas({ ...question, nowMs: atMs }, history);
          ({ history } = answer);
          const { desired } = answer;
          expect(desired).toBeGreaterThanOrEqual(minReplicas);
          expect(desired).toBeLessThanOrEqual(maxReplicas);
          if (desired !== current) {
            const event = { change: Math.abs(desired - current), atMs };
            history = withScaleEvent(history, desired > current ? "ups" : "downs", event);
          }
          current = desired;
          sizes.push(current);
        };
        wild.forEach((recommended, index) => step(recommended, nowMs + index * 15 * second));
        const calmMs = nowMs + wild.length * 15 * second;
        const from = sizes.length;
        // The longest window is an hour; afterwards only the constant recommendation counts.
        for (let index = 0; index < 500; index++) step(steady, calmMs + index * 15 * second);
        const later = sizes.slice(from + 241);
        const target = Math.min(Math.max(steady, minReplicas), maxReplicas);
        const distances = later.map((size) => Math.abs(size - target));
        expect(distances).toEqual(distances.toSorted((a, b) => b - a));
      },
    ),
    { numRuns: 60 },
  );
});

test("a history from before the clock was set back is in the future, and a history of this instant is not", () => {
  const history = beginHistory(5, nowMs);
  expect(isAhead(history, nowMs)).toBe(false);
  expect(isAhead(history, nowMs - 1)).toBe(true);
  expect(isAhead(withScaleEvent(beginHistory(5, 0), "ups", { change: 1, atMs: nowMs }), nowMs - 1)).toBe(true);
});

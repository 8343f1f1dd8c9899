import { describe, expect, test } from "vitest";
import { type AvailabilitySample, measureDowntime } from "./downtime.ts";

const at = (atMs: number, available: number, ready = available, wanted = 3): AvailabilitySample => ({
  atMs,
  wanted,
  ready,
  available,
});
const measure = (samples: AvailabilitySample[], minAvailable = 0) =>
  measureDowntime(samples, { endMs: 1000, minAvailable });

describe("downtime", () => {
  test("is zero for a workload that had all its pods", () => {
    expect(measure([at(-50, 3)])).toEqual({
      downtimeMs: 0,
      degradedMs: 0,
      belowBudgetMs: 0,
      undetectedMs: 0,
      recoveryMs: 0,
      isDegradedAtEnd: false,
    });
  });

  test("of a missing pod counts until the next sample, and only within the run", () => {
    const found = measure([at(-50, 0), at(100, 3), at(900, 0)]);
    expect(found).toMatchObject({ downtimeMs: 200, degradedMs: 200, recoveryMs: 100, isDegradedAtEnd: true });
  });

  test("ends in a recovery from the first missing pod to the last restored pod, regardless of the steps between them", () => {
    const found = measure([at(0, 3), at(100, 2), at(200, 0), at(250, 1), at(400, 3), at(600, 2), at(650, 3)], 2);
    expect(found).toMatchObject({ downtimeMs: 50, degradedMs: 350, belowBudgetMs: 200, recoveryMs: 300 });
    expect(found.isDegradedAtEnd).toBe(false);
  });

  test("is undetected while the API still reports removed pods as Ready", () => {
    expect(measure([at(0, 3), at(100, 1, 3), at(500, 1, 1), at(700, 3)])).toMatchObject({
      undetectedMs: 400,
      degradedMs: 600,
    });
  });

  test("is zero for a workload with zero replicas, and a budget above the desired count does not count as missed", () => {
    const nothing = measure([at(0, 0, 0, 0)], 2);
    expect(nothing).toMatchObject({ downtimeMs: 0, degradedMs: 0, belowBudgetMs: 0 });
  });
});

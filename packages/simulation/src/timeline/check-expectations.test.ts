import { describe, expect, test } from "vitest";
import type { WorkloadReport } from "./report.ts";
import type { Step } from "./step.ts";
import { checkExpectations } from "./check-expectations.ts";
import { type MeasureName, measureNames } from "../scenario/expectation.ts";
import { parseRange } from "../scenario/ranges.ts";

const zero = Object.fromEntries(measureNames.map((name) => [name, 0])) as Record<MeasureName, number>;
const web: WorkloadReport = {
  name: "web",
  replicas: 3,
  measures: { ...zero, downtime: 90_000, evictions: 2 },
  isDegradedAtEnd: false,
  samples: [],
};
const step = (atMs: number, object: string, what: string, detail: string): Step => ({ atMs, object, what, detail });
const steps = [
  step(60_000, "fault/kill-node", "begins", "node-2"),
  step(99_000, "node/node-2", "condition", "Ready=Unknown (NodeStatusUnknown)"),
  step(399_000, "pod/web-1", "terminating", "grace period 30 s"),
  step(400_000, "pod/web-2", "terminating", "grace period 30 s"),
];
const check = (expectation: Parameters<typeof checkExpectations>[0][number]) =>
  checkExpectations([expectation], { workloads: [web], steps });

describe("expectations", () => {
  test("measures of a workload are each checked against their expectation", () => {
    const found = check({ workload: "web", downtime: parseRange("< 1m", "time"), evictions: parseRange("2", "count") });
    expect(found).toEqual([
      { text: "web: downtime < 1m", isMet: false, found: "1m30s" },
      { text: "web: evictions 2", isMet: true, found: "2" },
    ]);
  });

  test("a step is found by its words in their order, and its first time counts", () => {
    expect(check({ step: "node-2 Ready=Unknown" })[0]?.isMet).toBe(true);
    expect(check({ step: "Ready=Unknown node-2" })[0]?.isMet).toBe(false);
    expect(check({ step: "pod/web terminating" })[0]?.isMet).toBe(true);
    expect(check({ step: "node-2 Ready=Unknown (NodeStatusUnknown)" })[0]?.isMet).toBe(true);
    expect(check({ step: "pod/web terminat" })[0]?.isMet).toBe(false);
    expect(check({ step: "terminating", at: parseRange("6m39s", "time") })[0]?.isMet).toBe(true);
    expect(check({ step: "terminating", at: parseRange("6m40s", "time") })[0]).toEqual({
      text: '"terminating" at 6m40s',
      isMet: false,
      found: "6m39s, 2 times in all",
    });
  });

  test("its time may be counted from another step", () => {
    const [found] = check({ step: "terminating", since: "Ready=Unknown", at: parseRange("5m", "time") });
    expect(found).toEqual({
      text: '"terminating" at 5m after "Ready=Unknown"',
      isMet: true,
      found: "5m, 2 times in all",
    });
    expect(check({ step: "terminating", since: "Ready=Maybe", at: parseRange("5m", "time") })[0]?.isMet).toBe(false);
  });

  test("a step that must never happen happens 0 times", () => {
    expect(check({ step: "deleted", times: parseRange("0", "count") })[0]?.isMet).toBe(true);
    expect(check({ step: "terminating", times: parseRange("0", "count") })[0]?.isMet).toBe(false);
    expect(check({ step: "deleted", at: parseRange("< 1h", "time") })[0]?.isMet).toBe(false);
  });
});

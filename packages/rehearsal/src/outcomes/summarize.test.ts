import { expect, test } from "vitest";
import { failuresOf, parseFailOn } from "../report/fail-on.ts";
import { downtimeWithin } from "./downtime.ts";
import type { RunOutcome } from "./outcome.ts";
import { percentilesOf } from "./percentiles.ts";
import { summarize } from "./summarize.ts";

const question = { kind: "nodes-off", about: "node n fails", nodes: ["n"] } as const;

function run(seed: number, downtimeMs: number): RunOutcome {
  const measured = {
    downtimeMs,
    degradedMs: downtimeMs,
    belowBudgetMs: 0,
    fewest: 0,
    isDownAtEnd: false,
    isDegradedAtEnd: false,
    isBelowBudgetAtEnd: false,
  };
  const workload = {
    workload: "shop/deployment/web",
    kind: "Deployment",
    before: 1,
    wanted: 1,
    ...measured,
    chain: [],
  };
  const aftermath = { starts: { most: 0, node: "", onNode: 0 }, movedTwice: [], preempted: [], lostWork: [] };
  return {
    seed,
    durationMs: 1,
    workloads: downtimeMs > 0 ? [workload] : [],
    pending: [],
    stuck: [],
    drains: [],
    aftermath: { ...aftermath, ...(downtimeMs > 60_000 ? {} : { wholeMs: downtimeMs }) },
  };
}

test("downtime is the time without a pod, and degraded time is the time with fewer pods than before", () => {
  const samples = [
    { atMs: 0, available: 2 },
    { atMs: 1000, available: 1 },
    { atMs: 3000, available: 0 },
    { atMs: 7000, available: 2 },
  ];
  expect(downtimeWithin(samples, { endMs: 9000, before: 2, minAvailable: 2 })).toEqual({
    downtimeMs: 4000,
    degradedMs: 6000,
    belowBudgetMs: 6000,
    fewest: 0,
    isDownAtEnd: false,
    isDegradedAtEnd: false,
    isBelowBudgetAtEnd: false,
  });
});

test("percentiles are values of runs, and runs without a downtime count", () => {
  expect(percentilesOf([5, 1, 2, 3, 4])).toEqual({ p50: 3, p95: 5, worst: 5 });
  const [web] = summarize(question, [run(1, 0), run(2, 4000), run(3, 0)]).workloads;
  expect(web?.downtime).toEqual({ p50: 0, p95: 4000, worst: 4000 });
});

test("--fail-on names the failed checks, and rejects other words", () => {
  const answer = summarize(question, [run(1, 40_000)]);
  expect(failuresOf(answer, { conditions: parseFailOn("downtime>30s,budget"), compared: undefined })).toEqual([
    "if node n fails, shop/deployment/web is down for 40s (p95)",
  ]);
  expect(failuresOf(answer, { conditions: parseFailOn("downtime>1m"), compared: undefined })).toEqual([]);
  expect(() => parseFailOn("downtime>soon")).toThrow(/"soon" is not a duration/);
  expect(() => parseFailOn("noise")).toThrow(/the conditions are downtime>30s, budget/);
});

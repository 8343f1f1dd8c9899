import { expect, test } from "vitest";
import type { Answer, WorkloadAnswer } from "../outcomes/summarize.ts";
import { comparedRows } from "./compare.ts";

const spread = (ms: number) => ({ p50: ms, p95: ms, worst: ms });

function answer(about: string, downMs: number, rest: Partial<Answer & WorkloadAnswer> = {}): Answer {
  const { pending = [], drains = [], downAtEnd = 0, belowBudget = spread(0), belowBudgetAtEnd = 0 } = rest;
  const workload: WorkloadAnswer = {
    workload: "shop/deployment/web",
    kind: "Deployment",
    before: 2,
    fewest: 0,
    downtime: spread(downMs),
    degraded: spread(downMs),
    belowBudget,
    downAtEnd,
    degradedAtEnd: downAtEnd,
    belowBudgetAtEnd,
    chain: [],
  };
  return {
    question: { kind: "nodes-off", about, nodes: [] },
    runs: 1,
    worstSeed: 1,
    workloads: [workload],
    pending,
    stuck: [],
    drains,
    aftermath: {
      whole: spread(0),
      neverWhole: 0,
      starts: { most: 0, node: "", onNode: 0 },
      movedTwice: [],
      preempted: [],
      lostWork: [],
    },
  };
}

const pod = { pod: "p", workload: "w", because: "full" };
const drain = { node: "a", fromMs: 0, tookMs: 0, heldBy: [] };

test.each([
  ["a downtime that ends earlier", answer("q", 350_000), answer("q", 40_000), [["down", "5m50s", "40s", "better"]]],
  ["a difference of random draws", answer("q", 350_000), answer("q", 360_000), [["down", "5m50s", "6m", "same"]]],
  ["a new short outage", answer("q", 0), answer("q", 2_000), [["down", "0s", "2s", "worse"]]],
  [
    "an outage without an end",
    answer("q", 9),
    answer("q", 9, { downAtEnd: 1 }),
    [["down", "<0.1s", "forever", "worse"]],
  ],
  [
    "a budget that is missed forever",
    answer("q", 0),
    answer("q", 0, { belowBudget: spread(9), belowBudgetAtEnd: 1 }),
    [["below budget", "0s", "forever", "worse"]],
  ],
  ["nothing at all", answer("q", 0), answer("q", 0), []],
  [
    "a budget and a pod without a node",
    answer("q", 0, { belowBudget: spread(9_000) }),
    answer("q", 0, { pending: [pod] }),
    [
      ["below budget", "9s", "0s", "better"],
      ["without a node", "0", "1", "worse"],
    ],
  ],
  [
    "a drain that ends now",
    answer("q", 0, { drains: [{ ...drain, isDone: false }] }),
    answer("q", 0, { drains: [{ ...drain, isDone: true }] }),
    [["drains", "stop at a", "end", "better"]],
  ],
])("%s", (_, before, after, rows) => {
  expect(
    comparedRows([before], [after]).map(({ measure, before: a, after: b, verdict }) => [measure, a, b, verdict]),
  ).toEqual(rows);
});

test("questions of only one side are omitted", () => {
  expect(comparedRows([answer("a", 1)], [answer("b", 1)])).toEqual([]);
});

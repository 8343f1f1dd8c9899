import { expect, test } from "vitest";
import type { CauseStep } from "../outcomes/outcome.ts";
import { summarize } from "../outcomes/summarize.ts";
import { aftershockLines, lostWorkLines } from "./aftershocks.ts";
import { timerRows } from "./timers.ts";
import { shortRefusal } from "./words.ts";

const chain: CauseStep[] = [
  { atMs: 0, is: "lost", what: "node n fails" },
  { atMs: 50_000, is: "noticed", what: "the cluster detects that n is silent" },
  { atMs: 350_000, is: "told", what: "pod a is marked for deletion on n" },
  { atMs: 350_000, is: "made", what: "pod b is made" },
  { atMs: 352_000, is: "placed", what: "pod b is bound to m" },
  { atMs: 360_000, is: "ready", what: "pod b is Ready" },
];

function answerWith(downtimeMs: number, isDownAtEnd = false) {
  const workload = {
    workload: "shop/deployment/web",
    kind: "Deployment",
    before: 1,
    wanted: 1,
    downtimeMs,
    degradedMs: downtimeMs,
    belowBudgetMs: 0,
    fewest: 0,
    isDownAtEnd,
    isDegradedAtEnd: isDownAtEnd,
    isBelowBudgetAtEnd: false,
    chain,
  };
  const lostWork = [
    { workload: "shop/job/a", pod: "shop/a-1", ranMs: 60_000 },
    { workload: "shop/job/a", pod: "shop/a-2", ranMs: 90_000 },
    { workload: "shop/job/b", pod: "shop/b-1", ranMs: 5_000, failed: "BackoffLimitExceeded" },
  ];
  const aftermath = {
    ...(isDownAtEnd ? {} : { wholeMs: 360_000 }),
    starts: { most: 9, node: "m", onNode: 4 },
    movedTwice: ["shop/b"],
    preempted: [],
    lostWork,
  };
  return summarize({ kind: "nodes-off", about: "node n fails", nodes: ["n"] }, [
    { seed: 1, durationMs: 400_000, workloads: [workload], pending: [], stuck: [], drains: [], aftermath },
  ]);
}

test("a downtime is divided among its timers, the largest first", () => {
  expect(timerRows([answerWith(360_000)]).map(({ what, downtimeMs }) => [what, downtimeMs])).toEqual([
    ["a pod tolerates that its node is lost", 300_000],
    ["a silent node counts as lost", 50_000],
    ["a pod starts and becomes Ready", 8_000],
    ["a controller creates a pod, and the scheduler binds it", 2_000],
  ]);
});

test("time in which another pod still served is not part of any timer's downtime", () => {
  const rows = timerRows([answerWith(20_000)]);
  expect(rows.map(({ downtimeMs }) => downtimeMs)).toEqual([10_000, 8_000, 2_000]);
  expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test("a downtime without an end belongs to no timer", () => {
  expect(timerRows([answerWith(400_000, true)])).toEqual([]);
});

test("aftershocks have a row for each question, and Jobs have a sentence for the lost work", () => {
  const [head, row] = aftershockLines([answerWith(1)], 20);
  expect(head).toMatch(/^IF +RECOVERED P50 +P95 +SIMULTANEOUS STARTS/);
  expect(row).toMatch(/^node n fails +6m +6m +9 +4 on m +1 +0/);
  expect(aftershockLines([answerWith(1, true)], 20)[1]).toMatch(/never +never/);
  expect(lostWorkLines([answerWith(1)])).toEqual([
    "if node n fails: shop/job/a repeats the work of 2 pods that had run for up to 1m30s",
    "if node n fails: shop/job/b fails permanently (BackoffLimitExceeded) and loses the work of 1 pod that had run for up to 5s",
  ]);
});

test("a refusal of the scheduler is explained by its rules alone", () => {
  const lost = "1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }";
  expect(
    shortRefusal(`0/3 nodes are available: ${lost}, 2 Insufficient cpu. preemption: 0/3 nodes are available.`),
  ).toBe("2 nodes: Insufficient cpu");
  expect(shortRefusal("0/3 nodes are available: 1 node(s) didn't match pod affinity rules.")).toBe(
    "1 node: didn't match pod affinity rules",
  );
  expect(shortRefusal('persistentvolumeclaim "a, b" not found')).toBe('persistentvolumeclaim "a, b" not found');
});

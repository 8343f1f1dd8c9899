import { expect, test } from "vitest";
import { summarize } from "../outcomes/summarize.ts";
import type { RehearsalReport } from "./report.ts";
import { reportText } from "./text.ts";

const empty: RehearsalReport = {
  source: "a backup",
  takenAt: "2026-01-01T00:00:00Z",
  kubernetes: "v1.36.0",
  nodes: 1,
  pods: 2,
  seed: 1,
  runsPerQuestion: 1,
  unknown: [],
  leftOut: [],
  without: [],
  unmodelled: [],
  notes: [],
  basis: [],
  downBefore: [],
  answers: [],
  nodesThatCanGo: [],
  nodesThatCannotGo: [],
  singlePoints: [],
  timers: [],
  dependencies: [],
  loads: [],
  changes: [],
};

test("kinds that the source lacks are named as unknown, in plain words", () => {
  const lines = reportText({
    ...empty,
    unknown: ["the backup has no PodDisruptionBudgets"],
    leftOut: ["Pod shop/a is left out: it has no spec"],
    without: ["webhook/policy"],
  });
  expect(lines[0]).toBe("Rehearsal of a backup: 1 node, 2 pods, Kubernetes v1.36.0, as of 2026-01-01T00:00:00Z.");
  expect(lines).toContain("UNKNOWN, and not counted as absent:");
  expect(lines).toContain("  Pod shop/a is left out: it has no spec");
  expect(lines).toContain("In each question, webhook/policy does not respond.");
});

test("a pod that fits nowhere is explained by the rules of the nodes that remain", () => {
  const message =
    "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 2 Insufficient cpu. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
  const pending = ["a", "b"].map((name) => ({ pod: name, workload: "shop/deployment/web", because: message }));
  const question = { kind: "nodes-off", about: "node n fails", nodes: ["n"] } as const;
  const lines = reportText({ ...empty, answers: [{ ...summarize(question, []), pending }] });
  expect(lines).toContain("if node n fails: 2 pods of shop/deployment/web: 2 nodes: Insufficient cpu");
});

test("an upgrade takes the time of its reboots too", () => {
  const turn = { node: "n", fromMs: 0, tookMs: 5_000, isDone: true, heldBy: [] };
  const drains = [turn, { ...turn, node: "m", fromMs: 190_000 }];
  const question = { kind: "drains", about: "every node is drained", nodes: ["n", "m"] } as const;
  const answer = summarize(question, []);
  const drainLine = (rest: { rebootMs?: number }) =>
    reportText({ ...empty, answers: [{ ...answer, question: { ...question, ...rest }, drains }] }).find((line) =>
      line.startsWith("every node is drained:"),
    );
  expect(drainLine({})).toBe("every node is drained: done, 2 nodes in 10s");
  expect(drainLine({ rebootMs: 180_000 })).toBe(
    "every node is drained: done, 2 nodes in 6m15s, of which the drains take 10s and each reboot 3m",
  );
});

test("a change that turns an endless downtime into a short one does not read as a loss", () => {
  const tried = {
    what: "taint n",
    command: "kubectl taint node n",
    beforeMs: 0,
    afterMs: 73_000,
    pendingBefore: 0,
    pendingAfter: 0,
    stopsBefore: 0,
    stopsAfter: 0,
    endlessBefore: 1,
    endlessAfter: 0,
    brokenBefore: 0,
    brokenAfter: 0,
  };
  const lines = reportText({ ...empty, changes: [tried, { ...tried, endlessBefore: 0, afterMs: 0, brokenBefore: 1 }] });
  expect(lines).toContain("1. taint n: workloads down forever 1 → 0, downtime that ends 0s → 1m13s");
  expect(lines).toContain("2. taint n: StatefulSets that lack a pod forever 1 → 0");
});

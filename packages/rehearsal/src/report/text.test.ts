import { expect, test } from "vitest";
import { reportText } from "./text.ts";

test("kinds that the source lacks are named as unknown, in plain words", () => {
  const lines = reportText({
    source: "a backup",
    takenAt: "2026-01-01T00:00:00Z",
    kubernetes: "v1.36.0",
    nodes: 1,
    pods: 2,
    seed: 1,
    runsPerQuestion: 1,
    unknown: ["the backup has no PodDisruptionBudgets"],
    leftOut: ["Pod shop/a is left out: it has no spec"],
    without: ["webhook/policy"],
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
  });
  expect(lines[0]).toBe("Rehearsal of a backup: 1 node, 2 pods, Kubernetes v1.36.0, as of 2026-01-01T00:00:00Z.");
  expect(lines).toContain("UNKNOWN, and not counted as absent:");
  expect(lines).toContain("  Pod shop/a is left out: it has no spec");
  expect(lines).toContain("In each question, webhook/policy does not respond.");
});

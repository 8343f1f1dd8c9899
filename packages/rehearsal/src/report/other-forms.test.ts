import { expect, test } from "vitest";
import { reportAppendix, reportHtml } from "./html.ts";
import { reportMarkdown } from "./other-forms.ts";
import type { RehearsalReport } from "./report.ts";

const about = "node <b>n</b> fails";
const downtime = { p50: 1_000, p95: 2_000, worst: 2_000 };
const none = { p50: 0, p95: 0, worst: 0 };
const report: RehearsalReport = {
  source: "a|b",
  takenAt: "2026-01-01T00:00:00Z",
  kubernetes: "1.36",
  nodes: 1,
  pods: 2,
  seed: 1,
  runsPerQuestion: 1,
  unknown: ["the dump has no budgets"],
  leftOut: [],
  without: [],
  unmodelled: [],
  notes: [],
  basis: [],
  downBefore: [],
  answers: [
    {
      question: { kind: "nodes-off", about, nodes: ["n"] },
      runs: 1,
      worstSeed: 1,
      pending: [],
      stuck: [],
      drains: [],
      aftermath: {
        whole: none,
        neverWhole: 0,
        starts: { most: 0, node: "", onNode: 0 },
        movedTwice: [],
        preempted: [],
        lostWork: [],
      },
      workloads: [
        {
          workload: "shop/deployment/web",
          kind: "Deployment",
          before: 1,
          fewest: 0,
          downtime,
          degraded: downtime,
          belowBudget: none,
          downAtEnd: 0,
          degradedAtEnd: 0,
          belowBudgetAtEnd: 0,
          chain: [{ atMs: 0, is: "lost", what: "node <b>n</b> fails" }],
        },
      ],
    },
  ],
  nodesThatCanGo: [],
  nodesThatCannotGo: [],
  singlePoints: [],
  timers: [],
  dependencies: [],
  loads: [],
  changes: [],
  compared: {
    name: "pull.yaml",
    objects: ["changed shop/deployment/web"],
    unplaced: ["shop/web-1: no room"],
    rows: [
      { about, subject: "shop/deployment/a", measure: "down", before: "5s", after: "0s", verdict: "better" },
      { about, subject: "shop/deployment/b", measure: "down", before: "3s", after: "3s", verdict: "same" },
      { about, subject: "shop/deployment/web", measure: "down", before: "0s", after: "2s", verdict: "worse" },
    ],
  },
};

test("a comment states the unknowns and the effects of the change, the worst first, and folds the rest", () => {
  const lines = reportMarkdown(report).split("\n");
  expect(lines).toContain("- **Unknown**, and not counted as absent: the dump has no budgets");
  expect(lines).toContain("- **Without a node** when the change is rolled out: shop/web-1: no room");
  const table = lines.slice(lines.indexOf("|  | if | what | measure | before | after |") + 2).slice(0, 3);
  expect(table).toEqual([
    `| **worse** | ${about} | shop/deployment/web | down | 0s | 2s |`,
    `| better | ${about} | shop/deployment/a | down | 5s | 0s |`,
    "",
  ]);
  expect(lines).toContain(`| ${about} | shop/deployment/web | 1s | 2s | 2s | recovered |`);
});

test("a page shows before and after side by side, links to recordings, and contains no markup of the cluster", () => {
  const page = reportHtml(report);
  expect(page).toContain('<tr class="worse"><td>worse</td>');
  expect(page).toContain("Without a node when the change is rolled out: shop/web-1: no room");
  expect(page).not.toContain("<b>n</b>");
  expect(page).not.toContain("watch</a>");
  expect(reportAppendix(report, () => "#run-1").html).toContain('<a href="#run-1">watch</a>');
});

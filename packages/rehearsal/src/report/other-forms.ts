import type { RehearsalReport } from "./report.ts";
import { type FailOn, failuresOf, failuresOfChange } from "./fail-on.ts";
import { downCells, clippedEnd, reportText, spreadCells } from "./text.ts";

/** The conditions under which a report without its own conditions fails, as JUnit tests. */
const junitDefaults: readonly FailOn[] = [{ on: "downtime", aboveMs: 0 }, { on: "pending" }, { on: "drain" }];

export function reportJson(report: RehearsalReport): string {
  return JSON.stringify(report, null, 2);
}

/** One test case for each question. */
export function reportJunit(report: RehearsalReport, failOn: readonly FailOn[]): string {
  const conditions = failOn.length > 0 ? failOn : junitDefaults;
  const { compared } = report;
  const ofChange = failuresOfChange(compared, conditions);
  const cases = [
    ...(compared === undefined ? [] : [{ name: `the rollout of ${compared.name}`, failures: ofChange }]),
    ...report.answers.map((answer) => ({
      name: answer.question.about,
      failures: failuresOf(answer, { conditions, compared }),
    })),
  ];
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="kintsugi rehearse ${escaped(report.source)}" tests="${cases.length}" failures="${failed}">`,
    ...cases.map(({ name, failures }) =>
      failures.length === 0
        ? `  <testcase name="${escaped(name)}"/>`
        : `  <testcase name="${escaped(name)}"><failure message="${escaped(failures[0] ?? "")}">${escaped(failures.join("\n"))}</failure></testcase>`,
    ),
    "</testsuite>",
  ].join("\n");
}

/** A comment of a pull request: the table of downtimes, and all else folded. */
export function reportMarkdown(report: RehearsalReport): string {
  const rows = report.answers.flatMap(({ question, workloads }) =>
    workloads
      .filter(({ downtime }) => downtime.worst > 0)
      .map((workload) => [question.about, workload.workload, ...downCells(workload), clippedEnd(workload)]),
  );
  const cells = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const table =
    rows.length === 0
      ? ["No workload goes down in any of the questions."]
      : [
          cells(["if", "workload", "p50", "p95", "worst", "at the end"]),
          "|---|---|---|---|---|---|",
          ...rows.map(cells),
        ];
  return [
    `### Rehearsal of ${report.source}`,
    "",
    ...table,
    "",
    "<details><summary>The whole report</summary>",
    "",
    "```",
    ...reportText(report),
    "```",
    "</details>",
  ].join("\n");
}

/** One file without scripts, for people who were not there. */
export function reportHtml(report: RehearsalReport): string {
  const rows = report.answers.flatMap(({ question, workloads }) =>
    workloads.map((workload) => {
      const { chain } = workload;
      const isDown = workload.downtime.worst > 0;
      const cells = [
        question.about,
        workload.workload,
        ...downCells(workload),
        ...spreadCells(workload.degraded),
        clippedEnd(workload),
      ];
      const steps = chain.map(({ atMs, what }) => `<li>+${(atMs / 1000).toFixed(1)} s ${escaped(what)}</li>`).join("");
      return `<tr class="${isDown ? "down" : ""}">${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}<td><details><summary>why</summary><ol>${steps}</ol></details></td></tr>`;
    }),
  );
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    `<title>Rehearsal of ${escaped(report.source)}</title>`,
    "<style>body{font:15px/1.45 system-ui,sans-serif;margin:2rem;max-width:80rem}table{border-collapse:collapse}td,th{padding:.3rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}.down td:nth-child(-n+5){color:#a40000}pre{background:#f6f6f4;padding:1rem;overflow:auto}@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#eee}pre{background:#262626}td,th{border-color:#444}.down td:nth-child(-n+5){color:#ff8f8f}}</style>",
    `<h1>Rehearsal of ${escaped(report.source)}</h1>`,
    "<table><thead><tr><th>if<th>workload<th>down p50<th>p95<th>worst<th>degraded p50<th>p95<th>worst<th>at the end<th></tr></thead><tbody>",
    ...rows,
    "</tbody></table><h2>The whole report</h2>",
    `<pre>${escaped(reportText(report).join("\n"))}</pre></html>`,
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

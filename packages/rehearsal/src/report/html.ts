import type { WorkloadAnswer } from "../outcomes/summarize.ts";
import { type ChangeComparison, type ComparedRow, differingRows } from "./compare.ts";
import { escaped } from "./other-forms.ts";
import type { RehearsalReport } from "./report.ts";
import { clippedEnd, downCells, headLines, reportText, spreadCells } from "./text.ts";
import { secondsText } from "./words.ts";

/** Limit on rows, because a browser lays out more rows slowly. */
const rowsMax = 2_000;

const style = `
.rehearsal{font:15px/1.45 system-ui,sans-serif;margin:2rem clamp(1rem,4vw,2rem);max-width:80rem;overflow-wrap:anywhere}
.rehearsal h1{font-size:1.5rem;margin:1rem 0;white-space:normal}
.rehearsal h2{font-size:1.2rem;margin:1.2rem 0 .6rem}
.rehearsal p{margin:.4rem 0}
.rehearsal table{border-collapse:collapse}
.rehearsal td,.rehearsal th{padding:.3rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}
.rehearsal .down td:nth-child(-n+5),.rehearsal .worse td{color:#a40000}
.rehearsal .better td{color:#1b6e2c}
.rehearsal pre{background:#f6f6f4;padding:1rem;overflow:auto}
.rehearsal .scroll{overflow-x:auto}
@media(prefers-color-scheme:dark){
body:has(>main>.rehearsal){background:#1b1b1b}
.rehearsal{color:#eee}.rehearsal a{color:#9cc7ff}.rehearsal pre{background:#262626}
.rehearsal td,.rehearsal th{border-color:#444}
.rehearsal .down td:nth-child(-n+5),.rehearsal .worse td{color:#ff8f8f}.rehearsal .better td{color:#8fd19a}}
`;

/** The report as a part of a page; its text is escaped. */
export interface HtmlPart {
  readonly html: string;
  readonly style: string;
}

/**
 * The report for people who did not run the rehearsal, as a part of a page.
 * @param watch the address of the recorded run of a question, if the page has such a run.
 */
export function reportAppendix(
  report: RehearsalReport,
  watch: (about: string) => string | undefined = () => undefined,
): HtmlPart {
  const body = [
    `<h1>Rehearsal of ${escaped(report.source)}</h1>`,
    ...headLines(report).flatMap((line) => (line === "" ? [] : [`<p>${escaped(line)}</p>`])),
    ...comparedPart(report.compared),
    "<h2>Workloads</h2>",
    answersTable(report, watch),
    "<h2>The whole report</h2>",
    `<pre tabindex="0">${escaped(reportText(report).join("\n"))}</pre>`,
  ];
  return { html: `<section class="rehearsal" aria-label="Report">${body.join("\n")}</section>`, style };
}

/** Returns the report as one file without scripts. */
export function reportHtml(report: RehearsalReport): string {
  const part = reportAppendix(report);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta name="viewport" content="width=device-width, initial-scale=1"><title>Rehearsal of ${escaped(report.source)}</title>`,
    `<style>${part.style}</style></head><body>`,
    `<main>${part.html}</main></body></html>`,
  ].join("\n");
}

function answersTable({ answers }: RehearsalReport, watch: (about: string) => string | undefined): string {
  const rows = answers.flatMap(({ question, workloads }) =>
    workloads.map((workload) => ({ about: question.about, workload })),
  );
  if (rows.length === 0) return "<p>No workload loses a pod in any of the questions.</p>";
  const head = ["if", "workload", "down p50", "p95", "worst", "degraded p50", "p95", "worst", "at the end", "why"];
  const more = rows.length > rowsMax ? `<p>And ${rows.length - rowsMax} more rows; -o json has all rows.</p>` : "";
  return `${table(
    head,
    rows.slice(0, rowsMax).map(({ about, workload }) => answerRow(about, workload, watch(about))),
  )}${more}`;
}

function answerRow(about: string, workload: WorkloadAnswer, address: string | undefined): string {
  const cells = [
    about,
    workload.workload,
    ...downCells(workload),
    ...spreadCells(workload.degraded),
    clippedEnd(workload),
  ];
  const steps = workload.chain.map(({ atMs, what }) => `<li>+${secondsText(atMs)} ${escaped(what)}</li>`).join("");
  const why = steps === "" ? "" : `<details><summary>why</summary><ol>${steps}</ol></details>`;
  const link = address === undefined ? "" : `<a href="${escaped(address)}">watch</a>`;
  const sort = workload.downtime.worst > 0 ? "down" : "";
  return `<tr class="${sort}">${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}<td>${why}${link}</td></tr>`;
}

function comparedPart(compared: ChangeComparison | undefined): string[] {
  if (compared === undefined) return [];
  const { name, objects, unplaced, rows } = compared;
  const told = differingRows(rows);
  return [
    `<h2>Before and after ${escaped(name)}</h2>`,
    `<p>${escaped(objects.join(", "))}</p>`,
    ...unplaced.map((line) => `<p>Without a node when the change is rolled out: ${escaped(line)}</p>`),
    told.length === 0
      ? "<p>No answer differs.</p>"
      : table(["difference", "if", "what", "measure", "before", "after"], told.slice(0, rowsMax).map(comparedRow)),
    "<p>The sections below describe the changed cluster.</p>",
  ];
}

function comparedRow({ verdict, about, subject, measure, before, after }: ComparedRow): string {
  const cells = [verdict, about, subject, measure, before, after];
  return `<tr class="${verdict}">${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`;
}

function table(head: readonly string[], rows: readonly string[]): string {
  const cells = head.map((cell) => `<th>${cell}</th>`).join("");
  return `<div class="scroll" tabindex="0"><table><thead><tr>${cells}</tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table></div>`;
}

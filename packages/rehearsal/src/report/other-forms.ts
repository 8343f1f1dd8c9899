import { type ChangeComparison, differingRows } from "./compare.ts";
import type { RehearsalReport } from "./report.ts";
import { type FailOn, failuresOf, failuresOfChange } from "./fail-on.ts";
import { downCells, clippedEnd, reportText } from "./text.ts";

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

/** A comment has its own limit; the whole report has all rows. */
const commentRowsMax = 50;

/**
 * A pull-request comment: the effect of a change, the table of downtimes, and everything else
 * folded.
 */
export function reportMarkdown(report: RehearsalReport): string {
  const { compared, unknown, answers } = report;
  const rows = answers.flatMap(({ question, workloads }) =>
    workloads
      .filter(({ downtime }) => downtime.worst > 0)
      .map((workload) => [question.about, workload.workload, ...downCells(workload), clippedEnd(workload)]),
  );
  return [
    `### Rehearsal of ${report.source}`,
    "",
    ...unknown.map((line) => `- **Unknown**, and not counted as absent: ${line}`),
    ...(unknown.length > 0 ? [""] : []),
    ...(compared === undefined ? [] : [...comparedMarkdown(compared), "", "#### With the change", ""]),
    ...(rows.length === 0
      ? ["No workload goes down in any of the questions."]
      : markdownTable(["if", "workload", "p50", "p95", "worst", "at the end"], rows)),
    "",
    "<details><summary>The whole report</summary>",
    "",
    "```",
    ...reportText(report),
    "```",
    "</details>",
  ].join("\n");
}

function comparedMarkdown({ name, objects, unplaced, rows }: ChangeComparison): string[] {
  const told = differingRows(rows).map(({ verdict, about, subject, measure, before, after }) => [
    verdict === "worse" ? "**worse**" : verdict,
    about,
    subject,
    measure,
    before,
    after,
  ]);
  return [
    `#### ${name}: ${objects.slice(0, commentRowsMax).join(", ")}`,
    "",
    ...unplaced.slice(0, commentRowsMax).map((line) => `- **Without a node** when the change is rolled out: ${line}`),
    ...(unplaced.length > 0 ? [""] : []),
    ...(told.length === 0
      ? ["No answer differs."]
      : markdownTable(["", "if", "what", "measure", "before", "after"], told)),
  ];
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const more = rows.length - commentRowsMax;
  return [
    cells(head),
    `|${head.map(() => "---|").join("")}`,
    ...rows.slice(0, commentRowsMax).map(cells),
    ...(more > 0 ? ["", `And ${more} more rows; \`-o json\` has all rows.`] : []),
  ];
}

/** Escapes a string for XML and HTML. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

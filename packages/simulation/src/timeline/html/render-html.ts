import { escapeMarkup } from "@kintsugi/api";
import { measures, measureNames } from "../../scenario/expectation.ts";
import { alignSteps, compareMeasures, type ComparedStep, workloadNames } from "../compare-reports.ts";
import { shownMeasure, shownObjects } from "../render-text.ts";
import type { ScenarioReport } from "../report.ts";
import { formatInstant, groupSteps, type Step, tellingSteps, type StepGroup } from "../step.ts";
import { availabilityChart } from "./chart.ts";
import { style, styleWithin } from "./style.ts";

/** A report, or two reports side by side, as one self-contained file. */
export function renderHtml(report: ScenarioReport, other?: ScenarioReport): string {
  const title = other ? `${report.name}: two settings` : report.name;
  const body = other
    ? [
        ...comparedHeads(report, other, title),
        ...comparedCharts(report, other),
        comparedMeasures(report, other),
        comparedSteps(report, other),
      ]
    : [...head(report), measured(report), ...charts(report), ...timelines(report)];
  return [
    `<!doctype html>`,
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escapeMarkup(title)}</title><style>${style}</style></head><body>`,
    "<main>",
    ...body,
    `</main></body></html>`,
    "",
  ].join("\n");
}

/** The measures, the charts and the steps of a report, for the page of a player. */
export function renderAppendix(report: ScenarioReport): { html: string; style: string } {
  const body = [...head(report), measured(report), ...charts(report), ...timelines(report)].join("\n");
  return { html: `<section class="report" aria-label="Report">${body}</section>`, style: styleWithin(".report") };
}

function head(report: ScenarioReport): string[] {
  const { name, description } = report;
  return [`<h1>${escapeMarkup(name)}</h1>`, described(description), ...outcome(report)];
}

/** A description that both reports have is written once. */
function comparedHeads(left: ScenarioReport, right: ScenarioReport, title: string): string[] {
  const isShared = left.description === right.description;
  const side = (report: ScenarioReport, label: string) => [
    `<h2>${label}: ${escapeMarkup(report.name)}, profile ${escapeMarkup(report.profile)}</h2>`,
    isShared ? "" : described(report.description),
    ...outcome(report),
  ];
  return [
    `<h1>${escapeMarkup(title)}</h1>`,
    isShared ? described(left.description) : "",
    ...side(left, "A"),
    ...side(right, "B"),
  ];
}

function described(description: string): string {
  return description === "" ? "" : `<p>${escapeMarkup(description)}</p>`;
}

function outcome(report: ScenarioReport): string[] {
  const { profile, seed, durationMs, failure, expectations, digest } = report;
  const timers = Object.entries(report.timers).map(([flag, value]) => `${flag}=${value}`);
  const facts = [
    `profile ${profile}`,
    ...timers,
    `seed ${seed}`,
    `${formatInstant(durationMs)} of virtual time`,
    `trace ${digest.slice(0, 12)}`,
  ];
  const missed = expectations.filter(({ isMet }) => !isMet).length;
  return [
    `<p class="dim">${escapeMarkup(facts.join(" · "))}</p>`,
    failure === undefined ? "" : `<p class="bad">Broken: ${escapeMarkup(failure)}</p>`,
    expectations.length === 0
      ? ""
      : `<p class="${missed > 0 ? "bad" : "good"}">${expectations.length - missed} of ${expectations.length} expectations met</p>`,
    ...expectations
      .filter(({ isMet }) => !isMet)
      .map(({ text, found }) => `<p class="bad">Not met: ${escapeMarkup(text)}; found ${escapeMarkup(found)}</p>`),
  ];
}

function measured({ workloads }: ScenarioReport): string {
  const header = `<th>workload</th><th class="number">pods</th>${measureNames
    .map(
      (name) => `<th class="number" title="${escapeMarkup(measures[name].sentence)}">${name.replaceAll("-", " ")}</th>`,
    )
    .join("")}`;
  const rows = workloads.map(
    (workload) =>
      `<tr><td>${escapeMarkup(workload.name)}</td><td class="number">${workload.replicas}</td>${measureNames
        .map((name) => `<td class="number">${shownMeasure(workload, name)}</td>`)
        .join("")}</tr>`,
  );
  return table(header, rows);
}

function comparedMeasures(left: ScenarioReport, right: ScenarioReport): string {
  const rows = workloadNames(left, right).flatMap((workload) =>
    compareMeasures(
      left.workloads.find(({ name }) => name === workload),
      right.workloads.find(({ name }) => name === workload),
    ).map(
      (row) =>
        `<tr><td>${escapeMarkup(workload)}</td><td>${row.name}</td><td class="number">${row.left}</td>` +
        `<td class="number">${row.right}</td><td class="number">${row.difference}</td></tr>`,
    ),
  );
  const numbers = ["A", "B", "B − A"].map((name) => `<th class="number">${name}</th>`).join("");
  return table(`<th>workload</th><th>measure</th>${numbers}`, rows);
}

function charts(report: ScenarioReport): string[] {
  return [...chartsHead, ...report.workloads.map((workload) => availabilityChart(workload, report))];
}

/** The charts of a workload are below each other, so that equally long runs have one time axis. */
function comparedCharts(left: ScenarioReport, right: ScenarioReport): string[] {
  const sides = [
    { label: "A", report: left },
    { label: "B", report: right },
  ];
  return [
    ...chartsHead,
    ...workloadNames(left, right).flatMap((name) =>
      sides.flatMap(({ label, report }) => {
        const workload = report.workloads.find((each) => each.name === name);
        return workload === undefined ? [] : [availabilityChart(workload, report, label)];
      }),
    ),
  ];
}

const chartsHead = [
  `<h2>Pods over time</h2>`,
  `<p class="dim">green: available; gray: reported as Ready by the API, although no container runs; red: missing</p>`,
];

function timelines({ steps }: ScenarioReport): string[] {
  const telling = tellingSteps(steps);
  return [
    `<h2>Timeline</h2>`,
    stepTable(telling),
    `<details><summary>All ${steps.length} steps</summary>${stepTable(steps)}</details>`,
  ];
}

function stepTable(steps: readonly Step[]): string {
  const rows = groupSteps(steps).map((group) => `<tr${rowClass(group)}>${stepCells(group)}</tr>`);
  return table(`<th class="number">time</th><th>object</th><th>what</th><th>detail</th>`, rows);
}

function stepCells({ atMs, objects, what, detail, explained }: StepGroup): string {
  const why = explained === undefined ? "" : ` <span class="dim">[${escapeMarkup(explained)}]</span>`;
  return `<td class="number">${formatInstant(atMs)}</td>${whatCells({ objects, what, detail }, why)}`;
}

function whatCells({ objects, what, detail }: Pick<StepGroup, "objects" | "what" | "detail">, why = ""): string {
  const all = objects.length > 1 ? ` title="${escapeMarkup(objects.join(" "))}"` : "";
  return `<td${all}>${escapeMarkup(shownObjects(objects))}</td><td>${escapeMarkup(what)}</td><td>${escapeMarkup(detail)}${why}</td>`;
}

function comparedSteps(left: ScenarioReport, right: ScenarioReport): string {
  const shown = (ms: number | undefined) => `<td class="number">${ms === undefined ? "–" : formatInstant(ms)}</td>`;
  const rows = alignSteps(left.steps, right.steps).map(
    (step: ComparedStep) => `<tr${rowClass(step)}>${shown(step.leftMs)}${shown(step.rightMs)}${whatCells(step)}</tr>`,
  );
  return `<h2>Timelines</h2>${table(`<th class="number">A</th><th class="number">B</th><th>object</th><th>what</th><th>detail</th>`, rows)}`;
}

function rowClass({ objects }: { objects: readonly string[] }): string {
  return objects[0]?.startsWith("fault/") === true ? ` class="fault"` : "";
}

function table(header: string, rows: readonly string[]): string {
  return `<div class="scroll" tabindex="0"><table><thead><tr>${header}</tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table></div>`;
}

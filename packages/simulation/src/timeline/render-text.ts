import { textTable } from "@kintsugi/api";
import { measures, type MeasureName, measureNames } from "../scenario/expectation.ts";
import type { ReportHead, ScenarioReport, WorkloadReport } from "./report.ts";
import { formatInstant, groupSteps, type StepGroup, tellingSteps } from "./step.ts";

/** Objects of one step that are named; other objects are only counted. */
const namedMax = 2;

/** A report for a terminal: the timeline, the measures, and the expectations with their results. */
export function renderText(report: ScenarioReport, options: { full: boolean }): string[] {
  return [...renderHead(report), ...renderBody(report, options)];
}

/** The lines that exist only after the end of a run. */
export function renderBody(report: ScenarioReport, options: { full: boolean }): string[] {
  const steps = options.full ? report.steps : tellingSteps(report.steps);
  return [
    "",
    ...textTable(["TIME", "OBJECT", "WHAT", "DETAIL"], groupSteps(steps).map(stepRow)),
    "",
    ...renderMeasures(report.workloads),
    ...renderVerdict(report),
  ];
}

export function renderHead(report: ReportHead): string[] {
  const timers = Object.entries(report.timers).map(([flag, value]) => `${flag}=${value}`);
  const told = [`profile ${report.profile}`, ...timers, `seed ${report.seed}`, formatInstant(report.durationMs)];
  return [`${report.name}: ${told.join(", ")}`, ...(report.description === "" ? [] : [report.description])];
}

function stepRow({ atMs, objects, what, detail, explained }: StepGroup): string[] {
  return [
    `+${formatInstant(atMs)}`,
    shownObjects(objects),
    what,
    explained === undefined ? detail : `${detail}  [${explained}]`,
  ];
}

export function shownObjects(objects: readonly string[]): string {
  const named = objects.slice(0, namedMax).join(" ");
  return objects.length > namedMax ? `${named} +${objects.length - namedMax}` : named;
}

function renderMeasures(workloads: readonly WorkloadReport[]): string[] {
  const header = ["WORKLOAD", "PODS", ...measureNames.map((name) => name.toUpperCase().replaceAll("-", " "))];
  return textTable(
    header,
    workloads.map((workload) => [
      workload.name,
      String(workload.replicas),
      ...measureNames.map((name) => shownMeasure(workload, name)),
    ]),
  );
}

/** Formats "1m40s", with a plus if it was still going on when the run ended. */
export function shownMeasure(
  { measures: values, isDegradedAtEnd, minAvailable }: WorkloadReport,
  name: MeasureName,
): string {
  const value = values[name];
  if (name === "below-budget" && minAvailable === undefined) return "-";
  if (measures[name].unit === "count") return String(value);
  return `${formatInstant(value)}${name === "recovery" && isDegradedAtEnd ? "+" : ""}`;
}

/** Renders missed expectations and violations; empty if the run has neither. */
export function renderVerdict({ expectations, failure, name }: ScenarioReport): string[] {
  const missed = expectations.filter(({ isMet }) => !isMet);
  return [
    ...(failure === undefined ? [] : ["", `BROKEN in ${name}: ${failure}`]),
    ...(expectations.length === 0
      ? []
      : ["", `${expectations.length - missed.length} of ${expectations.length} expectations met`]),
    ...missed.map(({ text, found }) => `  NOT MET: ${text}; found ${found}`),
  ];
}

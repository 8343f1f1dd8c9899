import { textTable } from "@kintsugi/api";
import { measures, type MeasureName, measureNames } from "../scenario/expectation.ts";
import { renderHead, renderVerdict, shownMeasure, shownObjects } from "./render-text.ts";
import type { ScenarioReport, WorkloadReport } from "./report.ts";
import { formatInstant, groupSteps, type Step, tellingSteps, withoutNames } from "./step.ts";

/** One milestone of either run: its times in both runs. */
export interface ComparedStep {
  readonly objects: readonly string[];
  readonly what: string;
  readonly detail: string;
  readonly leftMs: number | undefined;
  readonly rightMs: number | undefined;
}

/**
 * The steps of two runs side by side: the first, second, … of a kind in one run next to the same
 * step in the other run.
 */
export function alignSteps(left: readonly Step[], right: readonly Step[]): ComparedStep[] {
  const other = keyed(right);
  const aligned = [...keyed(left)].map(([key, group]): ComparedStep => {
    const match = other.get(key);
    other.delete(key);
    return { ...group, leftMs: group.atMs, rightMs: match?.atMs };
  });
  const onlyRight = [...other.values()].map((group): ComparedStep => ({
    ...group,
    leftMs: undefined,
    rightMs: group.atMs,
  }));
  return [...aligned, ...onlyRight].sort((a, b) => (a.leftMs ?? a.rightMs ?? 0) - (b.leftMs ?? b.rightMs ?? 0));
}

function keyed(steps: readonly Step[]): Map<string, ReturnType<typeof groupSteps>[number]> {
  const times = new Map<string, number>();
  const groups = groupSteps(tellingSteps(steps)).map((group) => {
    const kind = `${subjectOf(group.objects[0] ?? "")} ${group.what} ${withoutNames(group.detail)}`;
    const time = (times.get(kind) ?? 0) + 1;
    times.set(kind, time);
    return [`${kind} ${time}`, group] as const;
  });
  return new Map(groups);
}

/** Pods have different names in every run, while their owners have the same names. */
function subjectOf(object: string): string {
  return object.startsWith("pod/") ? object.replace(/-[a-z0-9]{5}$/, "") : object;
}

/** Renders two reports for a terminal, side by side, with their differences. */
export function renderComparison(left: ScenarioReport, right: ScenarioReport): string[] {
  return [
    ...renderHead(left).map((line) => `A  ${line}`),
    ...renderHead({ ...right, description: right.description === left.description ? "" : right.description }).map(
      (line) => `B  ${line}`,
    ),
    "",
    ...textTable(["A", "B", "B - A", "OBJECT", "WHAT", "DETAIL"], alignSteps(left.steps, right.steps).map(stepRow)),
    "",
    ...textTable(["WORKLOAD", "MEASURE", "A", "B", "B - A"], measureRows(left, right)),
    ...renderVerdict({ ...left, name: "A" }),
    ...renderVerdict({ ...right, name: "B" }),
  ];
}

function stepRow({ objects, what, detail, leftMs, rightMs }: ComparedStep): string[] {
  const shown = (ms: number | undefined) => (ms === undefined ? "-" : `+${formatInstant(ms)}`);
  const difference = leftMs === undefined || rightMs === undefined ? "" : signed(rightMs - leftMs, "time");
  return [shown(leftMs), shown(rightMs), difference, shownObjects(objects), what, detail];
}

export interface ComparedMeasure {
  readonly name: MeasureName;
  readonly left: string;
  readonly right: string;
  readonly difference: string;
}

export function compareMeasures(
  left: WorkloadReport | undefined,
  right: WorkloadReport | undefined,
): ComparedMeasure[] {
  return measureNames.map((name) => ({
    name,
    left: left ? shownMeasure(left, name) : "-",
    right: right ? shownMeasure(right, name) : "-",
    difference: left && right ? signed(right.measures[name] - left.measures[name], measures[name].unit) : "",
  }));
}

export function workloadNames(left: ScenarioReport, right: ScenarioReport): string[] {
  return [...new Set([...left.workloads, ...right.workloads].map(({ name }) => name))];
}

function measureRows(left: ScenarioReport, right: ScenarioReport): string[][] {
  return workloadNames(left, right).flatMap((workload) =>
    compareMeasures(
      left.workloads.find(({ name }) => name === workload),
      right.workloads.find(({ name }) => name === workload),
    ).map((row) => [workload, row.name, row.left, row.right, row.difference]),
  );
}

/** Formats a difference: "+10s", "-5m"; empty without a difference. */
function signed(value: number, unit: "time" | "count"): string {
  if (value === 0) return "";
  const size = Math.abs(value);
  return `${value > 0 ? "+" : "-"}${unit === "time" ? formatInstant(size) : size}`;
}

import type { RunOutcome } from "@kintsugi/rehearsal";
import { percentile } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import type { MeasuredWorkload } from "./measured-run.ts";

/**
 * Runs of a prediction. The range from p5 to p95 of 40 runs contains 88 % of equal runs, and the
 * range of 12 runs contains 85 %, by the nearest ranks.
 */
export const predictionRuns = 40;

/** The values of one measure of one workload in all runs of a prediction. */
export interface PredictedWorkload {
  readonly workload: string;
  readonly downtimeMs: readonly number[];
  readonly degradedMs: readonly number[];
  /** The shares of runs without an end. */
  readonly downForEver: number;
  readonly degradedForEver: number;
}

/** One fault: its predictions by calibration, and the measured values. */
export interface Repetition {
  readonly scenario: string;
  readonly predicted: Readonly<Record<string, readonly PredictedWorkload[]>>;
  readonly measured: readonly MeasuredWorkload[];
}

export function predictionOf(workload: string, runs: readonly RunOutcome[]): PredictedWorkload {
  const found = runs.map(({ workloads }) => workloads.find((each) => each.workload === workload));
  const share = (holds: (each: RunOutcome["workloads"][number]) => boolean) =>
    found.filter((each) => each !== undefined && holds(each)).length / runs.length;
  return {
    workload,
    downtimeMs: found.map((each) => each?.downtimeMs ?? 0),
    degradedMs: found.map((each) => each?.degradedMs ?? 0),
    downForEver: share(({ isDownAtEnd }) => isDownAtEnd),
    degradedForEver: share(({ isDegradedAtEnd }) => isDegradedAtEnd),
  };
}

interface Comparison {
  readonly isReassured: boolean;
  readonly isAlarmed: boolean;
  /** Undefined if neither side has values to compare. */
  readonly isCovered: boolean | undefined;
  readonly errorMs: number | undefined;
}

/** Share of runs above which the prediction counts as made. */
const mostRuns = 0.5;

export function truthFigures(repetitions: readonly Repetition[]): Figure[] {
  const calibrations = Object.keys(repetitions[0]?.predicted ?? {});
  return calibrations.flatMap((calibration) => {
    const all = repetitions.flatMap(({ predicted, measured }) =>
      measured.flatMap((each) => {
        const own = predicted[calibration]?.find(({ workload }) => workload === each.workload);
        return own === undefined ? [] : [compare(own, each, "downtimeMs"), compare(own, each, "degradedMs")];
      }),
    );
    return figuresOf(calibration, all, repetitions.length);
  });
}

function compare(
  predicted: PredictedWorkload,
  measured: MeasuredWorkload,
  measure: "downtimeMs" | "degradedMs",
): Comparison {
  const values = predicted[measure].toSorted((a, b) => a - b);
  const endless = measure === "downtimeMs" ? predicted.downForEver : predicted.degradedForEver;
  const isEndless = measure === "downtimeMs" ? measured.isDownAtEnd : measured.isDegradedAtEnd;
  const ms = measured[measure];
  const isFine = values.every((value) => value === 0);
  const median = percentile(values, 0.5);
  const base = { isReassured: isFine && ms > 0, isAlarmed: median > 0 && ms === 0 };
  if (isFine && ms === 0) return { ...base, isCovered: undefined, errorMs: undefined };
  if (isEndless || endless > mostRuns)
    return { ...base, isCovered: isEndless === endless > mostRuns, errorMs: undefined };
  return {
    ...base,
    isCovered: ms >= percentile(values, 0.05) && ms <= percentile(values, 0.95),
    errorMs: Math.abs(median - ms),
  };
}

function figuresOf(calibration: string, all: readonly Comparison[], repetitions: number): Figure[] {
  const told = all.flatMap(({ isCovered }) => (isCovered === undefined ? [] : [isCovered]));
  const errors = all.flatMap(({ errorMs }) => errorMs ?? []).toSorted((a, b) => a - b);
  const share = (count: number, of: number) => (of === 0 ? 0 : (100 * count) / of);
  const id = (name: string) => `rehearsal.truth.${calibration}.${name}`;
  const of = `${calibration}; ${repetitions} faults, ${told.length} measures`;
  const count = (holds: (each: Comparison) => boolean) => all.filter(holds).length;
  return [
    {
      id: id("false-reassurance"),
      what: `said fine, was hit (${calibration})`,
      value: share(
        count(({ isReassured }) => isReassured),
        all.length,
      ),
      unit: "%",
      goal: 0,
      detail: `${count(({ isReassured }) => isReassured)} of ${all.length}`,
    },
    {
      id: id("false-alarm"),
      what: `said hit, was fine (${calibration})`,
      value: share(
        count(({ isAlarmed }) => isAlarmed),
        all.length,
      ),
      unit: "%",
      detail: `${count(({ isAlarmed }) => isAlarmed)} of ${all.length}`,
    },
    {
      id: id("outside"),
      what: `measured outside p5 to p95 (${calibration})`,
      value: share(told.filter((isCovered) => !isCovered).length, told.length),
      unit: "%",
      goal: 10,
      detail: of,
    },
    {
      id: id("error.p50"),
      what: `error beyond the timers, p50 (${calibration})`,
      value: percentile(errors, 0.5),
      unit: "ms",
    },
    {
      id: id("error.p90"),
      what: `error beyond the timers, p90 (${calibration})`,
      value: percentile(errors, 0.9),
      unit: "ms",
      detail: `${errors.length} measures that are not endless`,
    },
  ];
}

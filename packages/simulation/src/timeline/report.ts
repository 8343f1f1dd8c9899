import type { TimerProfile } from "@kintsugi/api";
import type { CheckedExpectation, MeasureName } from "../scenario/expectation.ts";
import type { ScenarioFile } from "../scenario/parse-scenario.ts";
import { flagsOfTimers, type TimerFlag } from "../scenario/timer-flags.ts";
import { type AvailabilitySample, measureDowntime } from "./downtime.ts";
import type { Recording } from "./recording.ts";
import type { Step } from "./step.ts";

/** The whole report of a scenario's run. It depends only on the scenario and its seed. */
export interface ScenarioReport {
  readonly name: string;
  readonly description: string;
  readonly seed: number;
  readonly profile: string;
  /** Timers that differ from the profile's, by flag. */
  readonly timers: Readonly<Record<string, string | number>>;
  readonly durationMs: number;
  readonly nodes: readonly string[];
  readonly workloads: readonly WorkloadReport[];
  readonly steps: readonly Step[];
  readonly expectations: readonly CheckedExpectation[];
  /** The invariant that was violated, if any. */
  readonly failure?: string;
  /** A hash of everything committed: two runs with the same hash were identical. */
  readonly digest: string;
}

export interface WorkloadReport {
  readonly name: string;
  readonly replicas: number;
  readonly minAvailable?: number;
  /** The value in milliseconds, or the count. */
  readonly measures: Readonly<Record<MeasureName, number>>;
  readonly isDegradedAtEnd: boolean;
  readonly samples: readonly AvailabilitySample[];
}

export interface Outcome {
  readonly failure: string | undefined;
  readonly digest: string;
  readonly timers: TimerProfile;
  readonly timerFlags: readonly TimerFlag[];
}

/** The part of a report that is known before the run. */
export type ReportHead = Pick<ScenarioReport, "name" | "description" | "seed" | "profile" | "timers" | "durationMs">;

export function reportHead({ scenario, description }: ScenarioFile, timerFlags: readonly TimerFlag[]): ReportHead {
  const { name, seed, profile, timers = {}, durationMs } = scenario;
  return { name, description, seed, profile, timers: flagsOfTimers(timerFlags, timers), durationMs };
}

/** Makes a report of the recording, with its measures; expectations have not been checked yet. */
export function makeReport(file: ScenarioFile, recording: Recording, outcome: Outcome): ScenarioReport {
  const { scenario } = file;
  return {
    ...reportHead(file, outcome.timerFlags),
    // A run ends when it violates an invariant.
    durationMs: recording.durationMs,
    nodes: scenario.nodes.map(({ name }) => name),
    workloads: scenario.workloads.map(({ name, replicas, minAvailable }) => ({
      name,
      replicas,
      ...(minAvailable === undefined ? {} : { minAvailable }),
      ...measure(recording, name, minAvailable ?? 0),
    })),
    steps: recording.steps(outcome.timers),
    expectations: [],
    ...(outcome.failure === undefined ? {} : { failure: outcome.failure }),
    digest: outcome.digest,
  };
}

function measure(
  recording: Recording,
  workload: string,
  minAvailable: number,
): Pick<WorkloadReport, "measures" | "isDegradedAtEnd" | "samples"> {
  const { samples, counts } = recording.availability.of(workload);
  const downtime = measureDowntime(samples, { endMs: recording.durationMs, minAvailable });
  return {
    samples,
    isDegradedAtEnd: downtime.isDegradedAtEnd,
    measures: {
      downtime: downtime.downtimeMs,
      degraded: downtime.degradedMs,
      "below-budget": downtime.belowBudgetMs,
      undetected: downtime.undetectedMs,
      recovery: downtime.recoveryMs,
      ...counts,
    },
  };
}

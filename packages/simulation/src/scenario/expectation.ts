import type { Range } from "./ranges.ts";

/** An expected result of a scenario: measures of one workload, or a step of the timeline. */
export interface Expectation extends Partial<Record<MeasureName, Range | undefined>> {
  /** The workload to which the measures belong. */
  readonly workload?: string | undefined;
  /** Words that occur, in this order, in one line of the timeline: "node-2 Ready=Unknown". */
  readonly step?: string | undefined;
  /** The step from whose first time `at` is counted, instead of from the beginning. */
  readonly since?: string | undefined;
  /** The time of the step's first occurrence. */
  readonly at?: Range | undefined;
  /** The number of the step's occurrences; at least one when absent. */
  readonly times?: Range | undefined;
}

/** The measures of a workload, in the words of scenario files. */
export const measures = {
  downtime: { unit: "time", sentence: "time in which no pod was available" },
  degraded: { unit: "time", sentence: "time in which fewer pods were available than the workload requests" },
  "below-budget": { unit: "time", sentence: "time in which fewer pods were available than its budget requires" },
  undetected: { unit: "time", sentence: "time in which the API reported more pods as Ready than were available" },
  recovery: {
    unit: "time",
    sentence: "the longest time from the first missing pod until all pods are available again",
  },
  created: { unit: "count", sentence: "number of pods that were created" },
  deleted: { unit: "count", sentence: "number of pods that were deleted" },
  evictions: { unit: "count", sentence: "number of pods that were evicted from a node" },
  restarts: { unit: "count", sentence: "number of container restarts" },
} as const satisfies Readonly<Record<string, { unit: "time" | "count"; sentence: string }>>;

export type MeasureName = keyof typeof measures;

export const measureNames = Object.keys(measures) as readonly MeasureName[];

/** An expectation, compared with a run. */
export interface CheckedExpectation {
  /** "web: downtime 0s". */
  readonly text: string;
  readonly isMet: boolean;
  /** The actual results, in place of the expected results or in addition to them. */
  readonly found: string;
}

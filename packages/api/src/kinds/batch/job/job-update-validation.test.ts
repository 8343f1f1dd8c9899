import { describe, expect, test } from "vitest";
import { validateUpdate } from "../../../validation/validate.ts";
import { aStoredJob, jobContainer } from "./testing/a-job.ts";
import { jobKind } from "./job-kind.ts";
import type { Job, JobStatus } from "./job.ts";

function faultsOf(before: Job, after: Job, subresource = ""): string[] {
  return validateUpdate(jobKind, { before, after, subresource }).map(({ field, message }) => `${field}: ${message}`);
}

const indexed = { completionMode: "Indexed", completions: 3, parallelism: 3 };
const podSpec = { restartPolicy: "Never", containers: [jobContainer] };
const elsewhere = {
  template: {
    metadata: { annotations: { queue: "a" }, labels: { zone: "b" } },
    spec: {
      ...podSpec,
      nodeSelector: { zone: "b" },
      tolerations: [{ key: "k", operator: "Exists" }],
      schedulingGates: [{ name: "g" }],
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: "zone", operator: "Exists" }] } },
          ],
        },
      },
    },
  },
};

describe("a change of a Job's spec", () => {
  test.each<[string, object, object, string[]]>([
    [
      "of mutable fields",
      {},
      {
        parallelism: 5,
        suspend: true,
        backoffLimit: 1,
        activeDeadlineSeconds: 9,
        ttlSecondsAfterFinished: 1,
        podReplacementPolicy: "Failed",
        completions: 1,
      },
      [],
    ],
    [
      "of completions is rejected",
      { completions: 1 },
      { completions: 2 },
      ["spec.completions: Invalid value: 2: field is immutable"],
    ],
    [
      "of completions with parallelism is accepted for an indexed Job",
      indexed,
      { ...indexed, completions: 5, parallelism: 5 },
      [],
    ],
    [
      "of completions alone is rejected for an indexed Job too",
      indexed,
      { ...indexed, completions: 5 },
      ["spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism"],
    ],
    [
      "of managedBy is rejected",
      {},
      { managedBy: "a.b/c" },
      ['spec.managedBy: Invalid value: "a.b/c": field is immutable'],
    ],
    [
      "of its mode is rejected",
      { completions: 3, parallelism: 3 },
      indexed,
      ['spec.completionMode: Invalid value: "Indexed": field is immutable'],
    ],
    [
      "of its pods' placement is accepted while it is suspended",
      { suspend: true },
      { suspend: true, ...elsewhere },
      [],
    ],
    ["of its pods' placement is also reverted", { suspend: true, ...elsewhere }, { suspend: true }, []],
  ])("%s", (_what, before, after, faults) => {
    expect(faultsOf(aStoredJob(before), aStoredJob(after))).toEqual(faults);
  });

  test.each<[string, Job, object]>([
    [
      "once it has started",
      { ...aStoredJob({ suspend: true }), status: { startTime: "2026-01-01T00:00:00Z" } },
      elsewhere,
    ],
    ["while it runs", aStoredJob({}), elsewhere],
    [
      "if its pods would run something else",
      aStoredJob({ suspend: true }),
      { template: { spec: { ...podSpec, containers: [{ ...jobContainer, image: "y" }] } } },
    ],
    [
      "if it would change its pods' anti-affinity",
      aStoredJob({ suspend: true }),
      { template: { spec: { ...podSpec, affinity: { podAntiAffinity: {} } } } },
    ],
  ])("of its template is rejected %s", (_when, before, after) => {
    const faults = faultsOf(before, aStoredJob({ suspend: before.spec?.suspend, ...after }));
    expect(faults).toEqual([expect.stringMatching(/^spec\.template: Invalid value: .*: field is immutable$/)]);
  });
});

const started = { startTime: "2026-01-01T00:01:00Z" };
const is = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: "True" as const })) });
const complete = { ...started, ...is("SuccessCriteriaMet", "Complete"), completionTime: "2026-01-01T00:02:00Z" };
const failed = { ...started, ...is("FailureTarget", "Failed") };
const conditions = "status.conditions: Invalid value";

describe("a change of a Job's status", () => {
  test.each<[string, object, JobStatus, JobStatus, string[]]>([
    [
      "in progress is accepted",
      {},
      {},
      { ...started, active: 1, ready: 1, uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] } },
      [],
    ],
    ["to complete is accepted", {}, { ...started, active: 1 }, { ...complete, succeeded: 1 }, []],
    ["to failed is accepted", {}, started, { ...failed, failed: 1 }, []],
    [
      "to a negative count is rejected",
      {},
      {},
      { active: -1, terminating: -2 },
      [
        "status.active: Invalid value: -1: must be greater than or equal to 0",
        "status.terminating: Invalid value: -2: must be greater than or equal to 0",
      ],
    ],
    [
      "that counts backwards is rejected",
      {},
      { succeeded: 2, failed: 2 },
      { succeeded: 1, failed: 1 },
      [
        "status.failed: Invalid value: 1: cannot decrease the failed counter",
        "status.succeeded: Invalid value: 1: cannot decrease the succeeded counter",
      ],
    ],
    [
      "of an indexed Job that shrinks may count backwards",
      indexed,
      { succeeded: 3, completedIndexes: "0-2" },
      { succeeded: 2, completedIndexes: "0,1" },
      [],
    ],
    [
      "that names a pod twice is rejected",
      {},
      {},
      { uncountedTerminatedPods: { succeeded: ["a", ""], failed: ["a"] } },
      [
        'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
        'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
      ],
    ],
    [
      "back from complete is rejected",
      {},
      complete,
      started,
      [
        `${conditions}: cannot disable the terminal Complete=True condition`,
        `${conditions}: cannot disable the SuccessCriteriaMet=True condition`,
      ],
    ],
    [
      "back from failed is rejected",
      {},
      failed,
      { ...started, ...is("FailureTarget") },
      [`${conditions}: cannot disable the terminal Failed=True condition`],
    ],
    [
      "to both complete and failed is rejected",
      {},
      started,
      { ...complete, ...is("Complete", "Failed") },
      [`${conditions}: cannot set Complete=True and Failed=true conditions`],
    ],
    [
      "to success after the failure target is rejected",
      {},
      started,
      { ...complete, ...is("SuccessCriteriaMet", "FailureTarget", "Complete") },
      [
        `${conditions}: cannot set Complete=True and FailureTarget=true conditions`,
        `${conditions}: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions`,
      ],
    ],
    [
      "to failure that met the criteria is rejected",
      {},
      started,
      { ...started, ...is("SuccessCriteriaMet", "Failed") },
      [`${conditions}: cannot set SuccessCriteriaMet=True and Failed=true conditions`],
    ],
    [
      "that completes a Job against its policy is rejected",
      { ...indexed, successPolicy: { rules: [{ succeededCount: 1 }] } },
      started,
      { ...complete, ...is("Complete") },
      [`${conditions}: cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True`],
    ],
    [
      "that finishes too early is rejected",
      {},
      {},
      { ...is("Complete"), active: 1, uncountedTerminatedPods: { succeeded: ["a"] } },
      [
        "status.active: Invalid value: 1: active>0 is invalid for finished job",
        'status.uncountedTerminatedPods: Invalid value: {"succeeded":["a"]}: uncountedTerminatedPods needs to be empty for finished job',
        "status.completionTime: Required value: completionTime is required for Complete jobs",
        "status.startTime: Required value: startTime is required for finished job",
      ],
    ],
    [
      "that completes without the condition is rejected",
      {},
      started,
      { ...started, completionTime: "2026-01-01T00:02:00Z" },
      [
        'status.completionTime: Invalid value: "2026-01-01T00:02:00Z": cannot set completionTime when there is no Complete=True condition',
      ],
    ],
    [
      "that completes before it starts is rejected",
      {},
      started,
      { ...complete, completionTime: "2026-01-01T00:00:00Z" },
      ['status.completionTime: Invalid value: "2026-01-01T00:00:00Z": completionTime cannot be set before startTime'],
    ],
    [
      "of the completion time is rejected",
      {},
      complete,
      { ...complete, completionTime: "2026-01-01T00:03:00Z" },
      ['status.completionTime: Invalid value: "2026-01-01T00:03:00Z": completionTime cannot be mutated'],
    ],
    [
      "of the start time is rejected while it runs",
      {},
      started,
      {},
      ["status.startTime: Required value: startTime cannot be removed for unsuspended job"],
    ],
    ["of the start time is accepted while it is suspended", { suspend: true }, started, {}, []],
    [
      "with impossible indexes is rejected",
      { ...indexed, backoffLimitPerIndex: 1 },
      {},
      { completedIndexes: "1,0", failedIndexes: "7" },
      [
        'status.completedIndexes: Invalid value: "1,0": error parsing completedIndexes: non-increasing order, previous: 1, current: 0',
        'status.failedIndexes: Invalid value: "7": error parsing failedIndexes: too large index: "7"',
      ],
    ],
    [
      "with an index that is both completed and failed is rejected",
      { ...indexed, backoffLimitPerIndex: 1 },
      {},
      { completedIndexes: "0,2", failedIndexes: "1,2" },
      ['status.failedIndexes: Invalid value: "1,2": failedIndexes and completedIndexes overlap at index: 2'],
    ],
    [
      "with indexes of a Job that is not indexed is rejected",
      { completions: 3 },
      {},
      { completedIndexes: "0", failedIndexes: "1" },
      [
        'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
        'status.failedIndexes: Invalid value: "1": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      ],
    ],
  ])("%s", (_what, spec, before, after, faults) => {
    const job = aStoredJob(spec);
    expect(faultsOf({ ...job, status: before }, { ...job, status: after }, "status")).toEqual(faults);
  });
});

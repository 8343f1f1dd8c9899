import { isConditionTrue } from "../../../meta/conditions.ts";
import type { Faults } from "../../../validation/faults.ts";
import { sameJson } from "../../../values/json.ts";
import { isTimestamp, parseTimestamp } from "../../../values/timestamp.ts";
import { findCommonIndex, type IndexInterval, readIndexIntervals } from "./completion-indexes.ts";
import { isIndexedJob, isJobComplete, isJobFailed, isJobFinished } from "./job-conditions.ts";
import type { Job, JobStatus, UncountedTerminatedPods } from "./job.ts";

// The rules follow ValidateJobStatusUpdate of pkg/apis/batch/validation, with the options that
// pkg/registry/batch/job derives when other controllers may manage Jobs. Most rules apply only to
// changed fields, because a change of the spec can violate them for a moment.

/** One write of a status. */
interface StatusChange {
  job: Job;
  before: Job;
  status: JobStatus;
  old: JobStatus;
  /** Returns whether the write changes the field. */
  readonly changed: (field: keyof JobStatus) => boolean;
  /** Returns whether the write changes a property of the Job. */
  readonly turned: (property: (job: Job) => boolean) => boolean;
}

export function validateJobStatus(job: Job, faults: Faults, before: Job): void {
  const [status, old] = [job.status ?? {}, before.status ?? {}];
  const change: StatusChange = {
    job,
    before,
    status,
    old,
    changed: (field) => !sameJson(status[field], old[field]),
    turned: (property) => property(job) !== property(before),
  };
  validateCounters(change, faults);
  validateUncounted(status.uncountedTerminatedPods ?? {}, faults);
  validateConditions(change, faults);
  validateTimes(change, faults);
  validateIndexes(change, faults);
}

function validateCounters({ job, status, old, changed, turned }: StatusChange, faults: Faults): void {
  for (const field of ["active", "succeeded", "failed", "ready", "terminating"] as const) {
    faults.notNegative(`status.${field}`, status[field]);
  }
  const { active = 0, succeeded = 0, failed = 0, uncountedTerminatedPods: uncounted } = status;
  const finished = isJobFinished(job);
  if (active > 0 && finished && (turned(isJobFinished) || changed("active"))) {
    faults.invalid("status.active", active, "active>0 is invalid for finished job");
  }
  const uncountedCount = (uncounted?.succeeded ?? []).length + (uncounted?.failed ?? []).length;
  if (uncountedCount > 0 && finished && (turned(isJobFinished) || changed("uncountedTerminatedPods"))) {
    const detail = "uncountedTerminatedPods needs to be empty for finished job";
    faults.invalid("status.uncountedTerminatedPods", uncounted, detail);
  }
  if (failed < (old.failed ?? 0)) faults.invalid("status.failed", failed, "cannot decrease the failed counter");
  // An Indexed Job that shrinks has fewer indexes that can have succeeded.
  const mayShrink = isIndexedJob(job) && job.spec?.completions === job.spec?.parallelism;
  if (succeeded < (old.succeeded ?? 0) && !mayShrink) {
    faults.invalid("status.succeeded", succeeded, "cannot decrease the succeeded counter");
  }
}

function validateUncounted({ succeeded = [], failed = [] }: UncountedTerminatedPods, faults: Faults): void {
  const seen = new Set<string>();
  for (const [name, uids] of Object.entries({ succeeded, failed })) {
    for (const [index, uid] of uids.entries()) {
      const field = `status.uncountedTerminatedPods.${name}[${index}]`;
      if (uid === "") faults.invalid(field, uid, "must not be empty");
      else if (seen.has(uid)) faults.duplicate(field, uid);
      seen.add(uid);
    }
  }
}

const meetsCriteria = ({ status }: Job) => isConditionTrue(status?.conditions, "SuccessCriteriaMet");
const isFailureTarget = ({ status }: Job) => isConditionTrue(status?.conditions, "FailureTarget");

function validateConditions({ job, before, turned }: StatusChange, faults: Faults): void {
  const field = "status.conditions";
  const refuse = (isBroken: boolean, detail: string) => {
    if (isBroken) faults.invalidWhole(field, detail);
  };
  const [complete, failed] = [isJobComplete(job), isJobFailed(job)];
  const [met, target] = [meetsCriteria(job), isFailureTarget(job)];
  const completeTurned = turned(isJobComplete);
  refuse(
    complete && failed && (completeTurned || turned(isJobFailed)),
    "cannot set Complete=True and Failed=true conditions",
  );
  refuse(
    complete && target && (completeTurned || turned(isFailureTarget)),
    "cannot set Complete=True and FailureTarget=true conditions",
  );
  refuse(met && failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
  refuse(met && target, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  refuse(
    job.spec?.successPolicy !== undefined && !met && complete,
    "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
  );
  for (const type of ["Failed", "Complete", "FailureTarget"] as const) {
    const was = isConditionTrue(before.status?.conditions, type);
    refuse(was && !isConditionTrue(job.status?.conditions, type), `cannot disable the terminal ${type}=True condition`);
  }
  refuse(meetsCriteria(before) && !met, "cannot disable the SuccessCriteriaMet=True condition");
  refuse(
    isJobComplete(before) && !meetsCriteria(before) && met,
    "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
  );
}

function validateTimes({ job, status, old, changed, turned }: StatusChange, faults: Faults): void {
  const { startTime, completionTime } = status;
  const complete = isJobComplete(job);
  const field = "status.completionTime";
  if (turned(isJobComplete) || changed("completionTime")) {
    if (completionTime !== undefined && !complete) {
      const detail = "cannot set completionTime when there is no Complete=True condition";
      faults.invalid(field, completionTime, detail);
    }
    if (completionTime === undefined && complete) {
      faults.required(field, "completionTime is required for Complete jobs");
    }
  }
  if ((changed("startTime") || changed("completionTime")) && isBefore(completionTime, startTime)) {
    faults.invalid(field, completionTime, "completionTime cannot be set before startTime");
  }
  if (completionTime !== undefined && old.completionTime !== undefined && changed("completionTime")) {
    faults.invalid(field, completionTime, "completionTime cannot be mutated");
  }
  if (startTime === undefined && isJobFinished(job) && (turned(isJobFinished) || changed("startTime"))) {
    faults.required("status.startTime", "startTime is required for finished job");
  }
  if (old.startTime !== undefined && changed("startTime") && job.spec?.suspend !== true) {
    faults.required("status.startTime", "startTime cannot be removed for unsuspended job");
  }
}

function isBefore(time: string | undefined, other: string | undefined): boolean {
  if (time === undefined || other === undefined || !isTimestamp(time) || !isTimestamp(other)) return false;
  return parseTimestamp(time) < parseTimestamp(other);
}

function validateIndexes({ job, status, changed }: StatusChange, faults: Faults): void {
  const { completedIndexes = "", failedIndexes } = status;
  const { completions, backoffLimitPerIndex } = job.spec ?? {};
  const completed = changed("completedIndexes") || changed("failedIndexes") ? read(completedIndexes, completions) : [];
  const failed = changed("completedIndexes") || changed("failedIndexes") ? read(failedIndexes, completions) : [];
  if (changed("completedIndexes")) {
    const field = "status.completedIndexes";
    if (!Array.isArray(completed)) {
      faults.invalid(field, completedIndexes, `error parsing completedIndexes: ${completed.problem}`);
    }
    if (completedIndexes !== "" && !isIndexedJob(job)) {
      const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
      faults.invalid(field, completedIndexes, detail);
    }
  }
  const field = "status.failedIndexes";
  if (changed("failedIndexes") && failedIndexes !== undefined) {
    if (backoffLimitPerIndex === undefined) {
      const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
      faults.invalid(field, failedIndexes, detail);
    } else if (!Array.isArray(failed)) {
      faults.invalid(field, failedIndexes, `error parsing failedIndexes: ${failed.problem}`);
    }
  }
  if (!Array.isArray(completed) || !Array.isArray(failed)) return;
  const common = findCommonIndex(completed, failed);
  if (common === undefined) return;
  faults.invalid(field, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${common}`);
}

/** The indexes of a Job without completions are meaningless and therefore valid. */
function read(indexes: string | undefined, completions: number | undefined): IndexInterval[] | { problem: string } {
  return completions === undefined ? [] : readIndexIntervals(indexes ?? "", completions);
}

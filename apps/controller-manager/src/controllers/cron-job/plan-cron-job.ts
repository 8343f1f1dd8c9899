import {
  type CronJob,
  type CronJobStatus,
  formatTimestamp,
  isJobComplete,
  isJobFailed,
  isJobFinished,
  type Job,
  jobs as jobType,
  parseTimestamp,
} from "@kintsugi/api";
import { type CronJobNote, lastStartedMs, planSchedule, startedForMs } from "@kintsugi/rules";

type ActiveJob = NonNullable<CronJobStatus["active"]>[number];

export interface CronJobPlan {
  /** The status that follows from the Jobs, before another Job starts. */
  status: CronJobStatus;
  notes: CronJobNote[];
  /** These finished Jobs are beyond the limits of the history. */
  remove: Job[];
  /** The scheduled time of the Job. */
  startMs?: number | undefined;
  /** The Jobs that are removed before this Job starts. */
  replace: ActiveJob[];
  /** The next time of the schedule. */
  nextMs?: number | undefined;
}

/** Decides one pass over a CronJob; `owned` are all of its Jobs. */
export function planCronJob(cronJob: CronJob, owned: readonly Job[], nowMs: number): CronJobPlan {
  const { status, notes } = planStatus(cronJob, owned, nowMs);
  const lastMs = lastStartedMs(cronJob, owned, nowMs);
  const due = planSchedule(cronJob, lastMs, nowMs);
  const active = status.active ?? [];
  const plan: CronJobPlan = {
    status,
    notes: [...notes, ...due.notes],
    remove: beyondHistory(cronJob, owned),
    replace: [],
    nextMs: due.nextMs,
  };
  if (due.dueMs === undefined) return plan;
  if (cronJob.spec.concurrencyPolicy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    plan.notes.push({ type: "Normal", reason: "JobAlreadyActive", message });
    return plan;
  }
  const replace = cronJob.spec.concurrencyPolicy === "Replace" ? active : [];
  return { ...plan, startMs: due.dueMs, replace };
}

/** Returns the status with one more Job, which was started for this time. */
export function withStarted(status: CronJobStatus, job: Job, startMs: number): CronJobStatus {
  const reference = referenceOf(job);
  const others = (status.active ?? []).filter(({ uid }) => uid !== reference.uid);
  const active = isJobFinished(job) ? others : [...others, reference];
  return withActive({ ...status, lastScheduleTime: formatTimestamp(startMs) }, active);
}

export function withoutActive(status: CronJobStatus, gone: ReadonlySet<string | undefined>): CronJobStatus {
  return withActive(
    status,
    (status.active ?? []).filter(({ uid }) => !gone.has(uid)),
  );
}

function planStatus(
  cronJob: CronJob,
  owned: readonly Job[],
  nowMs: number,
): { status: CronJobStatus; notes: CronJobNote[] } {
  const notes: CronJobNote[] = [];
  const byUid = new Map(owned.map((job) => [job.metadata.uid, job]));
  const active = (cronJob.status?.active ?? []).filter((reference) => {
    const job = byUid.get(reference.uid);
    if (job === undefined) {
      notes.push({ type: "Normal", reason: "MissingJob", message: `Active job went missing: ${reference.name ?? ""}` });
      return false;
    }
    if (!isJobFinished(job)) return true;
    const message = `Saw completed job: ${reference.name ?? ""}, condition: ${isJobComplete(job) ? "Complete" : "Failed"}`;
    notes.push({ type: "Normal", reason: "SawCompletedJob", message });
    return false;
  });
  const known = new Set(active.map(({ uid }) => uid));
  for (const job of owned) {
    const { name = "", uid, deletionTimestamp } = job.metadata;
    if (isJobFinished(job) || known.has(uid)) continue;
    // This controller started the Job, and was stopped before it wrote the status.
    if (startedForMs(cronJob, job) !== undefined) {
      if (deletionTimestamp === undefined) active.push(referenceOf(job));
      continue;
    }
    const message = `Saw a job that the controller did not create or forgot: ${name}`;
    notes.push({ type: "Warning", reason: "UnexpectedJob", message });
  }
  const lastMs = lastStartedMs(cronJob, owned, nowMs);
  return { status: withTimes(withActive(cronJob.status ?? {}, active), owned, lastMs), notes };
}

function withTimes(status: CronJobStatus, owned: readonly Job[], lastMs: number | undefined): CronJobStatus {
  const completed = owned.filter(isJobComplete).map((job) => job.status?.completionTime);
  const times = [status.lastSuccessfulTime, ...completed].filter((time) => typeof time === "string");
  const lastSuccess = times.toSorted((left, right) => parseTimestamp(right) - parseTimestamp(left))[0];
  return {
    ...status,
    ...(lastMs === undefined ? {} : { lastScheduleTime: formatTimestamp(lastMs) }),
    ...(lastSuccess === undefined ? {} : { lastSuccessfulTime: lastSuccess }),
  };
}

function withActive(status: CronJobStatus, active: ActiveJob[]): CronJobStatus {
  const { active: _before, ...rest } = status;
  return active.length === 0 ? rest : { active, ...rest };
}

function beyondHistory({ spec }: CronJob, owned: readonly Job[]): Job[] {
  const here = owned.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [
    ...oldest(here.filter(isJobComplete), spec.successfulJobsHistoryLimit),
    ...oldest(here.filter(isJobFailed), spec.failedJobsHistoryLimit),
  ];
}

/** Returns the Jobs beyond the limit; a Job that has never started counts as the youngest. */
function oldest(finished: readonly Job[], limit: number | undefined): Job[] {
  if (limit === undefined || finished.length <= limit) return [];
  const key = ({ metadata, status }: Job) => `${status?.startTime ?? "~"} ${metadata.name}`;
  return finished.toSorted((left, right) => (key(left) < key(right) ? -1 : 1)).slice(0, finished.length - limit);
}

function referenceOf({ metadata }: Job): ActiveJob {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion: `${jobType.group}/${jobType.version}`,
    kind: jobType.kind,
    name,
    namespace,
    uid,
    resourceVersion,
  };
}

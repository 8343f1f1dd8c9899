import {
  isPodActive,
  isPodTerminating,
  type Job,
  jobAnnotations,
  type JobSpec,
  type JobStatus,
  jobTrackingFinalizer,
  type Pod,
} from "@kintsugi/api";

/** The input of decisions about one Job. */
export interface JobView {
  readonly job: Job;
  readonly spec: JobSpec;
  readonly status: JobStatus;
  /** All pods of the Job, including terminated pods. */
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  /** UIDs of pods whose finalizer this process has removed, although the cache still has it. */
  readonly released: ReadonlySet<string>;
  readonly nowMs: number;
}

export interface ObservedJob {
  job: Job;
  pods: readonly Pod[];
  released: ReadonlySet<string>;
}

export function viewJob({ job, pods, released }: ObservedJob, nowMs: number): JobView {
  const { spec = { template: {} }, status = {} } = job;
  const active = pods.filter(isPodActive);
  return { job, spec, status, pods, active, terminating: pods.filter(isPodTerminating), released, nowMs };
}

/** Reports whether the pod still has its finalizer, which this process has not removed. */
export function isTracked({ released }: Pick<JobView, "released">, pod: Pod): boolean {
  return hasTrackingFinalizer(pod) && !released.has(pod.metadata.uid ?? "");
}

export function hasTrackingFinalizer({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(jobTrackingFinalizer) === true;
}

/**
 * Reports whether the Job replaces a pod only after the pod has ended, not as soon as it is being
 * deleted.
 */
export function replacesOnlyFailed({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean {
  return podReplacementPolicy === "Failed" || podFailurePolicy !== undefined;
}

/**
 * Reports whether the pod counts as failed. Unless the Job replaces only ended pods, a pod that is
 * being deleted counts too, because a pod of a lost node never reaches the phase Failed.
 */
export function isPodFailed({ metadata, status }: Pod, spec: JobSpec): boolean {
  if (status?.phase === "Failed") return true;
  if (replacesOnlyFailed(spec)) return false;
  return metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded";
}

export function isIndexed({ completionMode }: JobSpec): boolean {
  return completionMode === "Indexed";
}

/**
 * The completion index that the pod's annotation names; undefined if the pod does not have an
 * index.
 */
export function completionIndex({ metadata }: Pod): number | undefined {
  return readCount(metadata.annotations?.[jobAnnotations.completionIndex]);
}

/** The pod's completion index, if the Job has that index. */
export function validIndex(pod: Pod, { completions = 0 }: JobSpec): number | undefined {
  const index = completionIndex(pod);
  return index !== undefined && index < completions ? index : undefined;
}

/** Owners of pods can write annotations, so the text may be anything. */
export function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]{1,10}$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}

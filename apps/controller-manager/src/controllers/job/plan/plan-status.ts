import {
  countIndexes,
  formatTimestamp,
  parseTimestamp,
  isPodReady,
  type JobCondition,
  type JobStatus,
  type Pod,
  type PodFailurePolicyRule,
} from "@kintsugi/api";
import { type Cause, newCondition, withJobCondition } from "./conditions.ts";
import type { JobCounts } from "./count-pods.ts";
import { formatIndexes, hasIndex, withIndexes } from "./indexes.ts";
import { isSuccess } from "./plan-end.ts";
import { type FailureVerdict, judgeFailure } from "./policies.ts";
import { completionIndex, isIndexed, isPodFailed, isTracked, type JobView, validIndex } from "./job-view.ts";

// A pod is never lost or counted twice, although the status and the pods cannot be written
// together:
//
//   1  the pod ends                     finalizer  ·                     ·
//   2  the status names it as uncounted finalizer  uncounted: [uid]      succeeded: n
//   3  its finalizer is removed         ·          uncounted: [uid]      succeeded: n
//   4  the status counts it             ·          ·                     succeeded: n + 1
//
// The pod cannot disappear before 3, so a new controller finds it in 1 or 2, whenever the old
// controller was killed. The status then names a pod without the finalizer, or a pod that no longer
// exists, and 4 counts it. Each write of the status names the revision for which it was planned.

/** Maximum number of pods that one pass counts: upstream's, which limits their UIDs to 20 kB. */
const uncountedMax = 500;

/** The result of this pass's writes of pods. */
export interface PodOutcome {
  /**
   * The cached pods contain every write of this process, so that the active pods may be counted.
   */
  isCurrent: boolean;
  /** Active pods whose deletion has begun. */
  deleted: readonly Pod[];
  created: number;
}

export interface Tracking {
  /** The status to be written before any finalizer is removed. */
  status: JobStatus;
  /** Pods whose finalizer is removed after the write of the status. */
  release: readonly Pod[];
  /** The released pods that a rule of the failure policy matches, with the rule's action. */
  actions: ReadonlyMap<Pod, PodFailurePolicyRule["action"]>;
  /** The decided end of the Job; the terminal condition is set last. */
  end: JobCondition | undefined;
  /** Some pods are left for the next pass. */
  isPartial: boolean;
}

/** Plans the status and the finalizers that follow from it: upstream's trackJobStatus… */
export function planTracking(
  view: JobView,
  counts: JobCounts,
  { end, outcome }: { end: JobCondition | undefined; outcome: PodOutcome },
): Tracking {
  const before = withCountedPods(view.status, trackedUids(view));
  // Pods that this pass has begun to delete have changed; the next pass chooses them.
  const present = view.pods.filter((pod) => !outcome.deleted.includes(pod));
  const uncounted = before.uncountedTerminatedPods ?? {};
  const chosen = choosePods({ ...view, pods: present }, counts, { end, uncounted });
  const ready = view.active.filter(isPodReady).length - outcome.deleted.filter(isPodReady).length;
  const counted = view.active.length - outcome.deleted.length + outcome.created;
  const active = outcome.isCurrent || end !== undefined ? counted : (before.active ?? 0);
  const status: JobStatus = {
    ...before,
    active: active === 0 ? undefined : active,
    ready,
    terminating: view.terminating.length + outcome.deleted.length,
    uncountedTerminatedPods: chosen.uncounted,
    ...(isIndexed(view.spec) ? indexStatus(counts, chosen.indexes) : {}),
  };
  if (end !== undefined) status.conditions = withJobCondition(status.conditions, end).conditions;
  return { status, release: chosen.release, actions: chosen.actions, end, isPartial: chosen.isPartial };
}

function trackedUids(view: JobView): Set<string> {
  return new Set(view.pods.filter((pod) => isTracked(view, pod)).map(({ metadata }) => metadata.uid ?? ""));
}

/** The status that counts every named pod whose finalizer is removed. */
function withCountedPods(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const [left, leftFailed] = [succeeded, failed].map((uids) => uids.filter((uid) => tracked.has(uid))) as [
    string[],
    string[],
  ];
  const add = (count: number | undefined, more: number) => (more === 0 ? count : (count ?? 0) + more);
  return {
    ...status,
    succeeded: add(status.succeeded, succeeded.length - left.length),
    failed: add(status.failed, failed.length - leftFailed.length),
    uncountedTerminatedPods: uncountedPods(left, leftFailed),
  };
}

type Uncounted = NonNullable<JobStatus["uncountedTerminatedPods"]>;

function uncountedPods(succeeded: readonly string[], failed: readonly string[]): Uncounted {
  return {
    ...(succeeded.length === 0 ? {} : { succeeded: [...succeeded] }),
    ...(failed.length === 0 ? {} : { failed: [...failed] }),
  };
}

interface Chosen {
  uncounted: Uncounted;
  indexes: number[];
  release: Pod[];
  actions: Map<Pod, PodFailurePolicyRule["action"]>;
  isPartial: boolean;
}

function choosePods(
  view: JobView,
  counts: JobCounts,
  { end, uncounted }: { end: JobCondition | undefined; uncounted: Uncounted },
): Chosen {
  const known = view.status.uncountedTerminatedPods ?? {};
  const [succeeded, failed] = [[...(uncounted.succeeded ?? [])], [...(uncounted.failed ?? [])]];
  const indexes: number[] = [];
  const release: Pod[] = [];
  const actions: Chosen["actions"] = new Map();
  for (const pod of inOrder(view)) {
    if (!isTracked(view, pod) || !canRelease(view, counts, { pod, end })) continue;
    if (indexes.length + succeeded.length + failed.length >= uncountedMax) {
      return { uncounted: uncountedPods(succeeded, failed), indexes, release, actions, isPartial: true };
    }
    release.push(pod);
    const uid = pod.metadata.uid ?? "";
    if (pod.status?.phase === "Succeeded" && known.failed?.includes(uid) !== true) {
      const index = validIndex(pod, view.spec);
      if (!isIndexed(view.spec)) {
        if (known.succeeded?.includes(uid) !== true) succeeded.push(uid);
      } else if (index !== undefined && !hasIndex(counts.knownIndexes, index)) indexes.push(index);
    } else if (known.failed?.includes(uid) !== true) {
      const verdict = failureOf(view, pod, end);
      if (verdict?.action !== undefined) actions.set(pod, verdict.action);
      if (verdict?.counts === true) failed.push(uid);
    }
  }
  return { uncounted: uncountedPods(succeeded, failed), indexes, release, actions, isPartial: false };
}

/** Indexes are completed in ascending order. */
function inOrder({ spec, pods }: JobView): readonly Pod[] {
  if (!isIndexed(spec)) return pods;
  return pods.toSorted((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1));
}

function canRelease(
  { job, spec }: JobView,
  { toReplace }: JobCounts,
  { pod, end }: { pod: Pod; end: JobCondition | undefined },
): boolean {
  if (job.metadata.deletionTimestamp !== undefined || end !== undefined) return true;
  if (pod.status?.phase === "Succeeded") return true;
  if (!isPodFailed(pod, spec)) return false;
  const index = validIndex(pod, spec);
  return index === undefined || toReplace.get(index) !== pod;
}

/** Judges a pod that counts as failed; a pod that has not ended counts only if the Job fails. */
function failureOf({ spec }: JobView, pod: Pod, end: JobCondition | undefined): FailureVerdict | undefined {
  // Pods that still ran when the Job succeeded have not failed.
  if (isSuccess(end) && pod.status?.phase !== "Failed") return undefined;
  if (!isPodFailed(pod, spec) && end === undefined) return undefined;
  if (isIndexed(spec) && validIndex(pod, spec) === undefined) return undefined;
  return judgeFailure(spec, pod);
}

function indexStatus(counts: JobCounts, added: readonly number[]): Partial<JobStatus> {
  // Only indexes whose pods are released now are written, so a partial pass writes fewer.
  const completed = withIndexes(counts.knownIndexes, added);
  const text = formatIndexes(completed);
  const total = countIndexes(completed);
  return {
    succeeded: total === 0 ? undefined : total,
    completedIndexes: text === "" ? undefined : text,
    failedIndexes: counts.failedIndexes && formatIndexes(counts.failedIndexes),
  };
}

/**
 * The status after finalizers are removed; the Job is finished if it does not wait for anything.
 */
export function settleStatus(
  status: JobStatus,
  { view, tracking, released }: { view: JobView; tracking: Tracking; released: ReadonlySet<string> },
): { status: JobStatus; finished: JobCondition | undefined } {
  const { end, isPartial } = tracking;
  const tracked = trackedUids(view);
  for (const uid of released) tracked.delete(uid);
  const settled = withCountedPods(status, tracked);
  const { succeeded = [], failed = [] } = settled.uncountedTerminatedPods ?? {};
  const isWaiting = isPartial || succeeded.length + failed.length > 0 || (settled.terminating ?? 0) > 0;
  if (end === undefined || isWaiting) return { status: settled, finished: undefined };
  const cause = { reason: end.reason ?? "", message: end.message ?? "" };
  const { nowMs } = view;
  const finished = newCondition(isSuccess(end) ? "Complete" : "Failed", cause, { nowMs });
  const { conditions } = withJobCondition(settled.conditions, finished);
  // If the clock was set back in the meantime, the time would be before the start, which the API
  // rejects.
  const endMs = Math.max(nowMs, status.startTime === undefined ? nowMs : parseTimestamp(status.startTime));
  const completion = isSuccess(end) ? { completionTime: formatTimestamp(endMs) } : {};
  return { status: { ...settled, conditions, ...completion }, finished };
}

/** The start of the Job, and a change of its suspension with the cause for an event. */
export function planSuspension(view: JobView, mayChange: boolean): { status: JobStatus; note?: Cause } {
  const { spec, status, nowMs } = view;
  const isSuspended = spec.suspend === true;
  const startTime = status.startTime ?? (isSuspended ? undefined : formatTimestamp(nowMs));
  const started = startTime === undefined ? status : { ...status, startTime };
  if (!mayChange) return { status: started };
  const cause = isSuspended
    ? { reason: "JobSuspended", message: "Job suspended" }
    : { reason: "JobResumed", message: "Job resumed" };
  const next = newCondition("Suspended", cause, { status: isSuspended ? "True" : "False", nowMs });
  const { conditions, changed } = withJobCondition(status.conditions, next);
  if (!changed) return { status: started };
  // The deadline counts from the time when the Job was resumed.
  const resumed = isSuspended ? {} : { startTime: formatTimestamp(nowMs) };
  const note = { reason: isSuspended ? "Suspended" : "Resumed", message: cause.message };
  return { status: { ...started, conditions, ...resumed }, note };
}

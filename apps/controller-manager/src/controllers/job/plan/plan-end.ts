import {
  countIndexes,
  findCondition,
  isConditionTrue,
  type JobCondition,
  parseTimestamp,
  type Pod,
} from "@kintsugi/api";
import { newCondition } from "./conditions.ts";
import type { JobCounts } from "./count-pods.ts";
import { judgeFailure, matchSuccessPolicy } from "./policies.ts";
import { isIndexed, isPodFailed, type JobView } from "./job-view.ts";

/**
 * Decides whether the Job ends now, in upstream's order: an earlier decision is final; then follow
 * the failure policy, the limits, the limits of indexes, and the success policy. The result is the
 * interim condition. The terminal condition follows once every pod has ended and is counted.
 */
export function planEnd(view: JobView, counts: JobCounts): JobCondition | undefined {
  return decidedEnd(view) ?? policyFailure(view) ?? limitFailure(view, counts) ?? indexEnd(view, counts);
}

/**
 * Returns the success of a Job. Its required pods have succeeded, and its other pods have ended.
 */
export function planSuccess({ nowMs }: JobView): JobCondition {
  const cause = { reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
  return newCondition("SuccessCriteriaMet", cause, { nowMs });
}

function decidedEnd({ status }: JobView): JobCondition | undefined {
  return (["SuccessCriteriaMet", "FailureTarget"] as const)
    .map((type) => findCondition(status.conditions, type))
    .find((condition) => condition?.status === "True");
}

function policyFailure({ spec, pods, nowMs }: JobView): JobCondition | undefined {
  if (spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    if (!isPodFailed(pod, spec)) continue;
    const { failsJob } = judgeFailure(spec, pod);
    if (failsJob !== undefined) {
      return newCondition("FailureTarget", { reason: "PodFailurePolicy", message: failsJob }, { nowMs });
    }
  }
  return undefined;
}

function limitFailure(view: JobView, counts: JobCounts): JobCondition | undefined {
  const { spec } = view;
  if (counts.failed > (spec.backoffLimit ?? 0) || hasRestartedTooOften(view)) {
    return failure(view, "BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (deadlineMs(view) === 0) {
    return failure(view, "DeadlineExceeded", "Job was active longer than specified deadline");
  }
  return undefined;
}

/** The time until the Job exceeds activeDeadlineSeconds; undefined without a deadline. */
export function deadlineMs({ spec, status, nowMs }: JobView): number | undefined {
  const { activeDeadlineSeconds: seconds, suspend } = spec;
  if (seconds === undefined || status.startTime === undefined || suspend === true) return undefined;
  return Math.max(0, parseTimestamp(status.startTime) + seconds * 1000 - nowMs);
}

/**
 * Reports whether containers restarted too often; restarts count instead of failed pods with
 * OnFailure.
 */
function hasRestartedTooOften({ spec, pods }: JobView): boolean {
  if (spec.template.spec?.restartPolicy !== "OnFailure") return false;
  const { backoffLimit: limit = 0 } = spec;
  const restarts = pods
    .filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
    .reduce((count, pod) => count + restartsOf(pod), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function restartsOf({ status }: Pod): number {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return statuses.reduce((count, { restartCount }) => count + restartCount, 0);
}

function indexEnd(view: JobView, { succeededIndexes, failedIndexes }: JobCounts): JobCondition | undefined {
  const { spec, nowMs } = view;
  if (!isIndexed(spec)) return undefined;
  if (failedIndexes !== undefined) {
    const failed = countIndexes(failedIndexes);
    if (spec.maxFailedIndexes !== undefined && failed > spec.maxFailedIndexes) {
      const message = "Job has exceeded the specified maximal number of failed indexes";
      return failure(view, "MaxFailedIndexesExceeded", message);
    }
    if (failed > 0 && failed + countIndexes(succeededIndexes) >= (spec.completions ?? 0)) {
      return failure(view, "FailedIndexes", "Job has failed indexes");
    }
  }
  const message = matchSuccessPolicy(spec, succeededIndexes);
  return message === undefined
    ? undefined
    : newCondition("SuccessCriteriaMet", { reason: "SuccessPolicy", message }, { nowMs });
}

function failure({ nowMs }: JobView, reason: string, message: string): JobCondition {
  return newCondition("FailureTarget", { reason, message }, { nowMs });
}

/** Reports whether the Job's success has been decided, after which failures do not count. */
export function isSuccess(end: JobCondition | undefined): boolean {
  return end?.type === "SuccessCriteriaMet" && isConditionTrue([end], end.type);
}

import { findCondition, type Pod, instantOf } from "@kintsugi/api";
import { backoffDelayMs } from "@kintsugi/clock";

/** Upstream's DefaultJobPodFailureBackOff and MaxJobPodFailureBackOff. */
const delays = { initialMs: 10_000, maxMs: 600_000, factor: 2 };

/** Consecutive failures of a Job, or of one of its indexes. */
export interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

export const noFailures: Failures = { count: 0, lastMs: 0 };

/** Adds pods whose end was unknown to the consecutive failures; a success resets them. */
export function nextFailures(before: Failures, succeeded: readonly Pod[], failed: readonly Pod[]): Failures {
  const failedMs = failed.map(finishedMs);
  if (succeeded.length === 0) {
    return failed.length === 0 ? before : { count: before.count + failed.length, lastMs: Math.max(...failedMs) };
  }
  const succeededMs = Math.max(...succeeded.map(finishedMs));
  const after = failedMs.filter((ms) => ms > succeededMs);
  return after.length === 0 ? noFailures : { count: after.length, lastMs: Math.max(...after) };
}

/** The time until a failed pod may be replaced. */
export function waitMs({ count, lastMs }: Failures, nowMs: number): number {
  return count === 0 ? 0 : Math.max(0, lastMs + backoffDelayMs(count, delays) - nowMs);
}

/**
 * The time at which the pod ended: the end of its last container, or the best known approximation.
 */
export function finishedMs({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => instantOf(state?.terminated?.finishedAt));
  if (ends.length > 0 && ends.every((end) => end !== undefined)) return Math.max(...ends);
  const ready = findCondition(status?.conditions, "Ready");
  const sinceMs = ready?.status === "False" ? instantOf(ready.lastTransitionTime) : undefined;
  const deletedMs = instantOf(metadata.deletionTimestamp);
  const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return (
    sinceMs ?? (deletedMs === undefined ? undefined : deletedMs - graceMs) ?? instantOf(metadata.creationTimestamp) ?? 0
  );
}

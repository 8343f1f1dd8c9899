import type { Pod } from "@kintsugi/api";
import { planDeletions } from "../../../shared/owners/plan-deletions.ts";
import { type Failures, waitMs } from "@kintsugi/rules";
import { failuresWith, type JobCounts } from "./count-pods.ts";
import { firstMissing, mergeIndexes, withIndexes } from "./indexes.ts";
import { isIndexed, type JobView, replacesOnlyFailed, validIndex } from "./job-view.ts";

/** Pods created or deleted in one pass: upstream's MaxPodCreateDeletePerSync. */
const burstPods = 500;

export interface PodPlan {
  /** Pods that are given up, and count neither as succeeded nor as failed. */
  remove: readonly Pod[];
  /** One entry for each new pod: its index, or undefined in a Job without indexes. */
  create: readonly (number | undefined)[];
  /** Time after which more pods may be made. */
  retryAfterMs?: number;
}

/** Plans the pods of a Job that continues: upstream's manageJob. */
export function planPods(view: JobView, counts: JobCounts, failures: Failures): PodPlan {
  const { spec, active } = view;
  if (spec.suspend === true) return { remove: podsToRemove(view, active.length), create: [] };
  const wanted = wantedActive(view, counts);
  const remove = podsToRemove(view, Math.max(0, active.length - wanted)).slice(0, burstPods);
  // A pass either deletes or creates pods; deletions take precedence.
  if (remove.length > 0) return { remove, create: [] };
  const going = replacesOnlyFailed(spec) ? view.terminating.length : 0;
  const missing = Math.min(wanted - going - active.length, burstPods);
  if (missing <= 0) return { remove: [], create: [] };
  return isIndexed(spec) ? planIndexes(view, counts, { missing, failures }) : planEqual(view, missing, failures);
}

function wantedActive({ spec, active }: JobView, { succeeded }: JobCounts): number {
  const { completions, parallelism = 1 } = spec;
  if (completions !== undefined) return Math.max(0, Math.min(parallelism, completions - succeeded));
  // A work queue does not start further pods after the first success.
  return succeeded > 0 ? active.length : parallelism;
}

function planEqual({ nowMs }: JobView, missing: number, failures: Failures): PodPlan {
  const retryAfterMs = waitMs(failures, nowMs);
  if (retryAfterMs > 0) return { remove: [], create: [], retryAfterMs };
  return { remove: [], create: Array.from({ length: missing }, () => undefined) };
}

function planIndexes(
  view: JobView,
  counts: JobCounts,
  { missing, failures }: { missing: number; failures: Failures },
): PodPlan {
  const { spec, nowMs } = view;
  const pending = pendingIndexes(view, counts, missing);
  if (spec.backoffLimitPerIndex === undefined) {
    const retryAfterMs = waitMs(failures, nowMs);
    return retryAfterMs > 0 ? { remove: [], create: [], retryAfterMs } : { remove: [], create: pending };
  }
  const waits = pending.map((index) => ({ index, ms: waitMs(failuresWith(counts.toReplace.get(index)), nowMs) }));
  const held = waits.filter(({ ms }) => ms > 0).map(({ ms }) => ms);
  const create = waits.filter(({ ms }) => ms === 0).map(({ index }) => index);
  return { remove: [], create, ...(held.length === 0 ? {} : { retryAfterMs: Math.min(...held) }) };
}

function pendingIndexes(view: JobView, counts: JobCounts, count: number): number[] {
  const { spec, active, terminating } = view;
  const taken = replacesOnlyFailed(spec) ? [...active, ...terminating] : active;
  const indexes = taken.map((pod) => validIndex(pod, spec)).filter((index) => index !== undefined);
  const settled = mergeIndexes(counts.succeededIndexes, counts.failedIndexes ?? []);
  return firstMissing(withIndexes(settled, indexes), { count, completions: spec.completions ?? 0 });
}

/** Chooses at least `count` active pods, and first the pods that no index needs. */
function podsToRemove(view: JobView, count: number): Pod[] {
  const { active, nowMs } = view;
  const { useless, left } = isIndexed(view.spec) ? uselessPods(view) : { useless: [], left: [...active] };
  const more = Math.max(0, count - useless.length);
  return more === 0 ? useless : [...useless, ...planDeletions({ pods: left, related: [], count: more }, nowMs)];
}

/** Pods without a valid index, and all but one pod of each index. */
function uselessPods({ spec, active, nowMs }: JobView): { useless: Pod[]; left: Pod[] } {
  const useless = active.filter((pod) => validIndex(pod, spec) === undefined);
  const left: Pod[] = [];
  const byIndex = new Map<number, Pod[]>();
  for (const pod of active) {
    const index = validIndex(pod, spec);
    if (index !== undefined) byIndex.set(index, [...(byIndex.get(index) ?? []), pod]);
  }
  for (const same of byIndex.values()) {
    const surplus = planDeletions({ pods: same, related: [], count: same.length - 1 }, nowMs);
    useless.push(...surplus);
    left.push(...same.filter((pod) => !surplus.includes(pod)));
  }
  return { useless, left };
}

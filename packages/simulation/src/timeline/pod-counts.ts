import type { Pod } from "@kintsugi/api";

/** The events of a workload's pods, as numbers. */
export interface PodCounts {
  readonly created: number;
  readonly deleted: number;
  readonly evictions: number;
  readonly restarts: number;
}

/** Adds one change of a pod to the counts of its workload. */
export function countChange(
  counts: { -readonly [Key in keyof PodCounts]: number },
  pod: Pod,
  change: { type: "put" | "delete"; old: Pod | undefined },
): void {
  const { type, old } = change;
  if (type === "delete") {
    counts.deleted++;
    return;
  }
  if (old === undefined) counts.created++;
  if (isEvicted(pod) && !(old && isEvicted(old))) counts.evictions++;
  counts.restarts += Math.max(0, restartsOf(pod) - (old ? restartsOf(old) : restartsOf(pod)));
}

/**
 * Reports whether a taint evicted the pod from its node, or a client evicted the pod by the
 * Eviction API.
 */
function isEvicted({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(({ type, status: holds }) => type === "DisruptionTarget" && holds === "True");
}

function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
}

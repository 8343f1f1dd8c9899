import { type DisruptionReason, isDisruptedBy, isPodTerminal, type Pod } from "@kintsugi/api";

/**
 * The reason in the condition of pods that are removed from lost nodes, before they are deleted.
 */
export const givenUpReason: DisruptionReason = "DeletionByPodGC";

/**
 * The pod garbage collector has marked the pod Failed because its node no longer exists, and has
 * yet to force-delete it, because the node may still run the pod. Other controllers never delete it
 * as if it had ended.
 */
export function wasGivenUp(pod: Pod): boolean {
  return isPodTerminal(pod) && isDisruptedBy(pod.status?.conditions, givenUpReason);
}

import { findCondition, isConditionTrue } from "../../../../meta/conditions.ts";
import { parseTimestamp } from "../../../../values/timestamp.ts";
import type { Pod } from "../pod.ts";

/**
 * The seconds that a pod has to stop unless its spec has another number (apis/core/v1
 * DefaultTerminationGracePeriodSeconds).
 */
export const defaultGracePeriodSeconds = 30;

/** Reports whether the pod has the condition Ready with status "True". */
export function isPodReady(pod: Pod): boolean {
  return isConditionTrue(pod.status?.conditions, "Ready");
}

/** Reports whether the pod has ended for good: all its containers have ended. */
export function isPodTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/**
 * Reports whether the pod counts for its controller: it has neither ended nor a deletion timestamp.
 */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Reports whether the pod's deletion was requested, and its node has not confirmed the end. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
}

/** Reports whether the pod has been ready for at least `minReadySeconds`. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const ready = findCondition(pod.status?.conditions, "Ready");
  if (ready?.status !== "True") return false;
  if (minReadySeconds === 0) return true;
  if (ready.lastTransitionTime === undefined) return false;
  return parseTimestamp(ready.lastTransitionTime) + minReadySeconds * 1000 <= nowMs;
}

/** Reports whether the scheduler, or the pod's author, has chosen a node for the pod. */
export function isPodBound(pod: Pod): boolean {
  return (pod.spec?.nodeName ?? "") !== "";
}

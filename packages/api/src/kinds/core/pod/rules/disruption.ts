import { findCondition, withCondition } from "../../../../meta/conditions.ts";
import type { PodCondition } from "../status/pod-status.ts";

/**
 * The reasons of the condition DisruptionTarget (core/v1, types.go): each names the component that
 * removes a pod which did nothing wrong.
 */
export type DisruptionReason =
  | "PreemptionByScheduler"
  | "DeletionByTaintManager"
  | "DeletionByDeviceTaintManager"
  | "EvictionByEvictionAPI"
  | "DeletionByPodGC"
  | "TerminationByKubelet";

export interface Disruption {
  reason: DisruptionReason;
  message: string;
}

/** The condition of a disruption without its transition time, which `withCondition` adds. */
export function disruptionTarget({ reason, message }: Disruption) {
  return { type: "DisruptionTarget", status: "True", reason, message } as const;
}

/**
 * Returns a pod's conditions with the disruption's; the same list when the condition is there
 * already.
 */
export function withDisruptionTarget(
  conditions: readonly PodCondition[] | undefined,
  disruption: Disruption,
  nowMs: number,
): PodCondition[] {
  return withCondition<PodCondition>(conditions, disruptionTarget(disruption), nowMs);
}

/** Reports whether the conditions mark the pod for removal, for this reason. */
export function isDisruptedBy(conditions: readonly PodCondition[] | undefined, reason: DisruptionReason): boolean {
  const target = findCondition(conditions, "DisruptionTarget");
  return target?.status === "True" && target.reason === reason;
}

import { findCondition, withCondition } from "../../../../meta/conditions.ts";
import type { PodCondition } from "../status/pod-status.ts";

/**
 * Who takes a pod away that is not to blame for it: the reasons of the condition DisruptionTarget
 * (core/v1, types.go).
 */
export type DisruptionReason =
  | "PreemptionByScheduler"
  | "DeletionByTaintManager"
  | "EvictionByEvictionAPI"
  | "DeletionByPodGC"
  | "TerminationByKubelet";

export interface Disruption {
  reason: DisruptionReason;
  message: string;
}

/** The condition that says so, before it is known since when it holds. */
export function disruptionTarget({ reason, message }: Disruption) {
  return { type: "DisruptionTarget", status: "True", reason, message } as const;
}

/** A pod's conditions with the one that says so; the same list when it says it already. */
export function withDisruptionTarget(
  conditions: readonly PodCondition[] | undefined,
  disruption: Disruption,
  nowMs: number,
): PodCondition[] {
  return withCondition<PodCondition>(conditions, disruptionTarget(disruption), nowMs);
}

/** Whether the conditions say that a pod goes for this reason. */
export function isDisruptedBy(conditions: readonly PodCondition[] | undefined, reason: DisruptionReason): boolean {
  const target = findCondition(conditions, "DisruptionTarget");
  return target?.status === "True" && target.reason === reason;
}

import { findCondition, withCondition } from "../../../../meta/conditions.ts";
import type { Pod } from "../pod.ts";
import type { PodCondition } from "../status/pod-status.ts";

/**
 * The reasons of the condition DisruptionTarget (core/v1, types.go): each names the component that
 * removes the pod, which itself has not failed.
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
 * Returns a pod's conditions with the condition of the disruption; the same list when it contains
 * the condition already.
 */
export function withDisruptionTarget(pod: Pod, disruption: Disruption, nowMs: number): PodCondition[] {
  const condition = { ...disruptionTarget(disruption), ...observedGeneration(pod) };
  return withCondition<PodCondition>(pod.status?.conditions, condition, nowMs);
}

/**
 * Returns the generation for a status or a condition of a pod, so that a client sees which spec the
 * writer had read (KEP-5067). Static pods have no generation.
 */
export function observedGeneration({ metadata: { generation } }: Pick<Pod, "metadata">): {
  observedGeneration?: number;
} {
  return generation === undefined ? {} : { observedGeneration: generation };
}

/** Reports whether the conditions mark the pod for removal, for this reason. */
export function isDisruptedBy(conditions: readonly PodCondition[] | undefined, reason: DisruptionReason): boolean {
  const target = findCondition(conditions, "DisruptionTarget");
  return target?.status === "True" && target.reason === reason;
}

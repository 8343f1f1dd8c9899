import type { PodCondition } from "@kintsugi/api";

/** The reason why the kubelet itself ends a pod, which is then Failed. */
export interface EndVerdict {
  reason: string;
  message: string;
  /** The pod was rejected before any part of it was started. */
  isRejection?: true;
  /**
   * The pod's containers must end within its grace period, because its replacement may run
   * afterwards.
   */
  isDeadline?: true;
  /** An additional condition of the pod: DisruptionTarget, where the pod is not at fault. */
  condition?: ConditionVerdict;
}

/** A condition of a pod as computed now, without the times from its history. */
export type ConditionVerdict = Pick<PodCondition, "type" | "status" | "reason" | "message">;

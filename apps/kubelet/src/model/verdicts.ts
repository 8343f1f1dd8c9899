import type { PodCondition } from "@kintsugi/api";

/** The reason why the kubelet itself ends a pod, which is then Failed. */
export interface EndVerdict {
  reason: string;
  message: string;
  /** The pod was turned away before anything of it was begun. */
  isRejection?: true;
  /** Nothing of the pod may run after its grace period: its replacement may run then. */
  isDeadline?: true;
  /** A condition that the pod gets besides: DisruptionTarget, where the pod did nothing wrong. */
  condition?: ConditionVerdict;
}

/** A condition of a pod as it is judged now, without the instants that its history adds. */
export type ConditionVerdict = Pick<PodCondition, "type" | "status" | "reason" | "message">;

import type { PodCondition } from "@kintsugi/api";

/** Why the kubelet itself ends a pod: it is Failed for this reason. */
export interface EndVerdict {
  reason: string;
  message: string;
  /** The pod was turned away before anything of it was begun. */
  isRejection?: true;
  /**
   * What the pod's conditions say of it besides: DisruptionTarget, where the pod is not to blame.
   */
  condition?: ConditionVerdict;
}

/** A condition of a pod as it is judged now, without the instants that its history adds. */
export type ConditionVerdict = Pick<PodCondition, "type" | "status" | "reason" | "message">;

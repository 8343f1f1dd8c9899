import { isConditionTrue, type Pod, replacementNeededCondition } from "@kintsugi/api";

/** Reports whether the pod's kubelet has stopped restarting it. */
export function isReplacementNeeded(pod: Pod): boolean {
  return isConditionTrue(pod.status?.conditions, replacementNeededCondition);
}

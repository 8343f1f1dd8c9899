import { controllerOf, type Pod, statefulSets } from "@kintsugi/api";
import type { DeleteOptions } from "@kintsugi/client";

/**
 * The options with which a controller deletes a pod. A grace period of 0 seconds would remove a pod
 * from the API immediately, while its node may still run it; the next pod of the same StatefulSet
 * identity would then run at the same time. Such a pod therefore gets 1 second, and remains until
 * its kubelet confirms the end. Upstream's controllers use 0 there and warn against it in their
 * documentation.
 */
export function podDeletion(pod: Pod): DeleteOptions {
  const preconditions = { uid: pod.metadata.uid ?? "" };
  const hasIdentity = controllerOf(pod)?.kind === statefulSets.kind;
  const isForced = hasIdentity && pod.spec?.terminationGracePeriodSeconds === 0;
  return isForced ? { preconditions, gracePeriodSeconds: 1 } : { preconditions };
}

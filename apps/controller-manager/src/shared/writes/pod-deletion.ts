import { controllerOf, type Pod, statefulSets } from "@kintsugi/api";
import type { DeleteOptions } from "@kintsugi/client";

/**
 * The options with which a controller deletes a pod. A grace period of 0 seconds removes a pod from
 * the API immediately, whatever its node still runs; the next pod of the same StatefulSet identity
 * would then start beside it. So such a pod gets 1 second, and stays until its kubelet confirms the
 * end. Upstream's controllers use 0 there and warn against it in their documentation.
 */
export function podDeletion(pod: Pod): DeleteOptions {
  const preconditions = { uid: pod.metadata.uid ?? "" };
  const hasIdentity = controllerOf(pod)?.kind === statefulSets.kind;
  const isForced = hasIdentity && pod.spec?.terminationGracePeriodSeconds === 0;
  return isForced ? { preconditions, gracePeriodSeconds: 1 } : { preconditions };
}

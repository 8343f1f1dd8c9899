import { isApiError, jobTrackingFinalizer, keyOf, type Pod, pods } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { hasTrackingFinalizer } from "./plan/job-view.ts";

/**
 * Number of tries for a pod that other clients write too; its kubelet writes a few times at the
 * pod's end.
 */
const triesMax = 4;

/**
 * Removes the finalizer from the pod, unless the pod has changed and has to keep the finalizer. A
 * pod that no longer exists has no finalizer.
 */
export async function removeTrackingFinalizer(
  client: Client,
  pod: Pod,
  mayLoseIt: (pod: Pod) => boolean = () => true,
): Promise<void> {
  const { uid } = pod.metadata;
  let current: Pod | undefined = pod;
  for (let tries = 1; current?.metadata.uid === uid && current !== undefined; tries++) {
    if (!hasTrackingFinalizer(current)) return;
    try {
      await client.patch(pods, keyOf(current), { type: "merge", body: withoutFinalizer(current) });
      return;
    } catch (error) {
      if (isApiError(error, "NotFound")) return;
      if (!isApiError(error, "Conflict") || tries === triesMax) throw error;
      // The cache is stale, or the kubelet has written in the meantime.
      current = await client.find(pods, keyOf(pod));
      if (current !== undefined && !mayLoseIt(current)) throw error;
    }
  }
}

function withoutFinalizer({ metadata }: Pod) {
  const { resourceVersion, uid, finalizers = [] } = metadata;
  const others = finalizers.filter((name) => name !== jobTrackingFinalizer);
  return { metadata: { resourceVersion, uid, finalizers: others.length === 0 ? null : others } };
}

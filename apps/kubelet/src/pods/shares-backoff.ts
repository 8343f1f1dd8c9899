import type { Container } from "@kintsugi/api";
import { resourcesText } from "../resize/allocation.ts";
import { annotationNames, containerHash } from "../runtime/labels.ts";
import type { ObservedContainer } from "../runtime/observed-pod.ts";

/**
 * Whether an instance was made of the image and the resources that the container has now. Upstream keeps back-off by these
 * (GetBackoffKey): another image may be the cure, so it does not wait for the failures of the one before.
 */
export function sharesBackoff(container: Container, { annotations }: ObservedContainer): boolean {
  const { [annotationNames.hash]: hash, [annotationNames.resources]: resources } = annotations;
  if (hash !== undefined && hash !== containerHash(container)) return false;
  // A kubelet of an earlier version did not write down the resources.
  return resources === undefined || resources === resourcesText(container);
}

import { controllerOf, type OwnerReference, type ResourceClaim } from "@kintsugi/api";

export const claimEntryAnnotation = "resource.kubernetes.io/pod-claim-name";

/** Returns the pod for which the claim was made. */
export function claimedPodOf(claim: ResourceClaim): OwnerReference | undefined {
  const owner = controllerOf(claim);
  return owner?.kind === "Pod" ? owner : undefined;
}

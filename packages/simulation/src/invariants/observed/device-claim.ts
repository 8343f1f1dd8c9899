import { controllerOf, type OwnerReference, type ResourceClaim } from "@kintsugi/api";

export const podClaimNameAnnotation = "resource.kubernetes.io/pod-claim-name";

/** Returns the pod that the claim was made for. */
export function podOf(claim: ResourceClaim): OwnerReference | undefined {
  const owner = controllerOf(claim);
  return owner?.kind === "Pod" ? owner : undefined;
}

import { controllerOf, isPodTerminal, type Pod, type ResourceClaim } from "@kintsugi/api";

export type PodResourceClaimEntry = NonNullable<NonNullable<Pod["spec"]>["resourceClaims"]>[number];
export type ClaimConsumer = NonNullable<NonNullable<ResourceClaim["status"]>["reservedFor"]>[number];

/** The finalizer of a claim that has devices, so that they are released before its removal. */
export const deviceClaimFinalizer = "resource.kubernetes.io/delete-protection";
/** Annotation of a claim that was made for a pod: the name of the pod's entry. */
export const podClaimNameAnnotation = "resource.kubernetes.io/pod-claim-name";
/** Upstream's ResourceClaimReservedForMaxSize. */
export const claimConsumersMax = 256;

/** The ResourceClaim behind an entry of a pod's resourceClaims. */
export type EntryClaim =
  | { readonly is: "claim"; readonly name: string; readonly isGenerated: boolean }
  /** The controller has decided that the entry does not need a claim. */
  | { readonly is: "not needed" }
  /** The controller has not made the claim yet. */
  | { readonly is: "not made" };

/** Follows upstream's resourceclaim.Name. */
export function claimOfEntry(pod: Pick<Pod, "status">, entry: PodResourceClaimEntry): EntryClaim {
  if (entry.resourceClaimName !== undefined) return { is: "claim", name: entry.resourceClaimName, isGenerated: false };
  const status = pod.status?.resourceClaimStatuses?.find(({ name }) => name === entry.name);
  if (status === undefined) return { is: "not made" };
  const { resourceClaimName } = status;
  return resourceClaimName === undefined
    ? { is: "not needed" }
    : { is: "claim", name: resourceClaimName, isGenerated: true };
}

/** Reports whether the claim was made for this pod. */
export function isDeviceClaimOf(claim: ResourceClaim, { metadata }: Pick<Pod, "metadata">): boolean {
  return claim.metadata.namespace === metadata.namespace && controllerOf(claim)?.uid === metadata.uid;
}

export function isReservedForPod(claim: ResourceClaim, { metadata }: Pick<Pod, "metadata">): boolean {
  return (claim.status?.reservedFor ?? []).some((consumer) => isPodConsumer(consumer) && consumer.uid === metadata.uid);
}

export function isPodConsumer({ apiGroup, resource }: ClaimConsumer): boolean {
  return (apiGroup ?? "") === "" && resource === "pods";
}

/** Reports whether all of the pod's containers have ended for good (upstream's isPodDone). */
export function isDoneWithClaims(pod: Pod): boolean {
  return isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName);
}

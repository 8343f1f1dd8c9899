import type { Container, ResourceClaim } from "@kintsugi/api";
import { claimOfEntry, isDeviceClaimOf, isReservedForPod } from "@kintsugi/rules";
import type { BoundPod } from "../../model/bound-pod.ts";

/** A claim that the pod uses. */
export interface PodClaim {
  readonly name: string;
  /** True where the claim was created for the pod, and has to be owned by it. */
  readonly isGenerated: boolean;
}

export function usesDevices({ spec, status }: BoundPod): boolean {
  return (spec.resourceClaims ?? []).length > 0 || status?.extendedResourceClaimStatus !== undefined;
}

/**
 * Lists the pod's claims, without the entries that do not need a claim.
 * @throws Error in upstream's words when a claim has not been created yet.
 */
export function claimedByPod(pod: BoundPod): readonly PodClaim[] {
  const claims = (pod.spec.resourceClaims ?? []).flatMap((entry): PodClaim[] => {
    const claim = claimOfEntry(pod, entry);
    if (claim.is === "not made") {
      const { namespace, name } = pod.metadata;
      throw new Error(`pod "${namespace}/${name}": ResourceClaim not created yet`);
    }
    return claim.is === "claim" ? [{ name: claim.name, isGenerated: claim.isGenerated }] : [];
  });
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  return extended === undefined ? claims : [...claims, { name: extended, isGenerated: false }];
}

/** The requests of a claim that a container uses; the request "" represents all requests. */
export interface ContainerClaim {
  readonly name: string;
  readonly requests: readonly string[];
}

export function claimsOfContainer(pod: BoundPod, container: Container): readonly ContainerClaim[] {
  const own = (container.resources?.claims ?? []).flatMap(({ name, request = "" }): ContainerClaim[] => {
    const entry = pod.spec.resourceClaims?.find((each) => each.name === name);
    const claim = entry === undefined ? undefined : claimOfEntry(pod, entry);
    return claim?.is === "claim" ? [{ name: claim.name, requests: [request] }] : [];
  });
  const { resourceClaimName, requestMappings = [] } = pod.status?.extendedResourceClaimStatus ?? {};
  const requests = requestMappings
    .filter(({ containerName }) => containerName === container.name)
    .map(({ requestName }) => requestName);
  return resourceClaimName === undefined || requests.length === 0
    ? own
    : [...own, { name: resourceClaimName, requests }];
}

/** @throws Error in upstream's words (pkg/kubelet/cm/dra prepareResources). */
export function checkClaim(claim: ResourceClaim, pod: BoundPod, { name, isGenerated }: PodClaim): void {
  const { namespace, name: podName, uid } = pod.metadata;
  if (isGenerated && !isDeviceClaimOf(claim, pod))
    throw new Error(
      `ResourceClaim ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`,
    );
  if (!isReservedForPod(claim, pod))
    throw new Error(`pod ${podName} (${uid}) is not allowed to use ResourceClaim ${name} (${claim.metadata.uid})`);
  if (claim.status?.allocation === undefined) throw new Error(`ResourceClaim ${name}: not allocated`);
}

/** Lists the drivers whose devices the claim has. */
export function driversOf({ status }: ResourceClaim): readonly string[] {
  return [...new Set((status?.allocation?.devices?.results ?? []).map(({ driver }) => driver))].toSorted();
}

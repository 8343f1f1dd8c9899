import type { Pod, PodResourceClaim, ResourceClaim } from "@kintsugi/api";
import { claimConsumersMax, claimOfEntry, isDeviceClaimOf } from "@kintsugi/rules";
import type { DevicesView } from "../../devices/devices.ts";

/**
 * Returns the name of the claim for an entry of the pod: undefined if the entry does not need a
 * claim, a string if its claim has yet to be made from a template (resourceclaim.Name).
 */
function deviceClaimNameOf(pod: Pod, entry: PodResourceClaim): { readonly claim: string | undefined } | string {
  const key = `pod "${pod.metadata.namespace}/${pod.metadata.name}"`;
  if (entry.resourceClaimName === undefined && entry.resourceClaimTemplateName === undefined) {
    return `${key}, spec.resourceClaim "${entry.name}": none of the supported fields are set`;
  }
  const known = claimOfEntry(pod, entry);
  if (known.is === "not made") return `${key}: ResourceClaim not created yet`;
  return { claim: known.is === "claim" ? known.name : undefined };
}

/** The names of the pod's claims that are known. */
export function deviceClaimNames(pod: Pod): string[] {
  return (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const named = deviceClaimNameOf(pod, entry);
    return typeof named === "string" ? [] : (named.claim ?? []);
  });
}

/** Returns the pod's claims of devices; a string when one of them is missing or unusable. */
export function deviceClaimsOf(pod: Pod, devices: DevicesView): readonly ResourceClaim[] | string {
  const { namespace = "", name: podName = "" } = pod.metadata;
  const claims: ResourceClaim[] = [];
  for (const entry of pod.spec?.resourceClaims ?? []) {
    const named = deviceClaimNameOf(pod, entry);
    if (typeof named === "string") return named;
    if (named.claim === undefined) continue;
    const claim = devices.findClaim(namespace, named.claim);
    if (claim === undefined) return `resourceclaim "${named.claim}" not found`;
    if (claim.metadata.deletionTimestamp !== undefined) return `resourceclaim "${named.claim}" is being deleted`;
    const isGenerated = entry.resourceClaimTemplateName !== undefined;
    if (isGenerated && !isDeviceClaimOf(claim, pod)) {
      const its = `${namespace}/${named.claim} was not created for pod ${namespace}/${podName}`;
      return `ResourceClaim ${its} (pod is not owner)`;
    }
    // Several entries may name the same claim.
    if (!claims.includes(claim)) claims.push(claim);
  }
  return claims;
}

export function canBeReserved({ status }: ResourceClaim): boolean {
  return (status?.reservedFor ?? []).length < claimConsumersMax;
}

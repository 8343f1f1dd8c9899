import type { PersistentVolumeClaim, Pod } from "@kintsugi/api";

export const claimFinalizer = "kubernetes.io/pvc-protection";

export type ProtectionStep = "add finalizer" | "remove finalizer if unused" | "nothing";

/** A claim has the finalizer until it is being deleted and no pod uses it. */
export function planClaimProtection({ metadata }: PersistentVolumeClaim): ProtectionStep {
  const isProtected = metadata.finalizers?.includes(claimFinalizer) ?? false;
  if (metadata.deletionTimestamp === undefined) return isProtected ? "nothing" : "add finalizer";
  return isProtected ? "remove finalizer if unused" : "nothing";
}

/**
 * Reports whether the pod uses the claim. A pod without a node does not use its claims, because its
 * kubelet will refuse to start it with a claim that is being deleted.
 */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if ((pod.spec?.nodeName ?? "") === "" || pod.metadata.namespace !== claim.metadata.namespace) return false;
  return claimNamesOf(pod).includes(claim.metadata.name ?? "");
}

/**
 * The names of the claims from which a pod's volumes come, including claims that were made for the
 * pod itself.
 */
export function claimNamesOf({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}

import {
  claimOfVolume,
  classOfClaim,
  isClaimOfPod,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
} from "@kintsugi/api";
import { bindCompletedAnnotation } from "@kintsugi/rules";
import type { StorageView } from "../../cluster-state/storage.ts";

/** The claims of a pod, grouped by their missing step. */
export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Claims that are bound when the first pod that uses them is placed. */
  readonly delayed: readonly PersistentVolumeClaim[];
  readonly unboundImmediate: readonly PersistentVolumeClaim[];
}

/**
 * Returns the pod's claims; a string when one of them is missing or unusable (volume_binding.go
 * podHasPVCs).
 */
export function podClaimsOf(pod: Pod, storage: StorageView): PodClaims | string {
  const { namespace = "", name: podName = "" } = pod.metadata;
  const claims: Record<keyof PodClaims, PersistentVolumeClaim[]> = { bound: [], delayed: [], unboundImmediate: [] };
  for (const volume of pod.spec?.volumes ?? []) {
    const name = claimOfVolume(volume, podName);
    if (name === undefined) continue;
    const claim = storage.findClaim(namespace, name);
    const isEphemeral = volume.ephemeral !== undefined;
    if (claim === undefined) {
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
        : `persistentvolumeclaim "${name}" not found`;
    }
    const fault = faultOf(claim);
    if (fault !== undefined) return fault;
    if (isEphemeral && !isClaimOfPod(claim, pod)) {
      return `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`;
    }
    claims[stateOf(claim, storage)].push(claim);
  }
  return claims;
}

/** Returns the volumes of the pod's bound claims that exist. */
export function boundVolumesOf({ metadata, spec }: Pod, storage: StorageView): readonly PersistentVolume[] {
  return (spec?.volumes ?? []).flatMap((volume) => {
    const name = claimOfVolume(volume, metadata.name ?? "");
    const claim = name === undefined ? undefined : storage.findClaim(metadata.namespace ?? "", name);
    return storage.findVolume(claim?.spec?.volumeName ?? "") ?? [];
  });
}

/** Reports whether a volume of the pod is the claim. */
export function podUsesClaim({ metadata, spec }: Pod, claim: PersistentVolumeClaim["metadata"]): boolean {
  if (claim.namespace !== metadata.namespace) return false;
  return (spec?.volumes ?? []).some((volume) => claimOfVolume(volume, metadata.name ?? "") === claim.name);
}

export function isClaimBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? "") !== "" && metadata.annotations?.[bindCompletedAnnotation] !== undefined;
}

function faultOf({ metadata, spec, status }: PersistentVolumeClaim): string | undefined {
  if (status?.phase === "Lost") {
    return `persistentvolumeclaim "${metadata.name}" bound to non-existent persistentvolume "${spec?.volumeName ?? ""}"`;
  }
  return metadata.deletionTimestamp === undefined
    ? undefined
    : `persistentvolumeclaim "${metadata.name}" is being deleted`;
}

/** A claim that names its volume is bound immediately, regardless of its class. */
function stateOf(claim: PersistentVolumeClaim, storage: StorageView): keyof PodClaims {
  if (isClaimBound(claim)) return "bound";
  const waits = storage.findClass(classOfClaim(claim))?.volumeBindingMode === "WaitForFirstConsumer";
  return waits && (claim.spec?.volumeName ?? "") === "" ? "delayed" : "unboundImmediate";
}

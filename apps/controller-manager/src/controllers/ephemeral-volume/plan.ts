import {
  claimOfVolume,
  controllerReference,
  isClaimOfPod,
  type PersistentVolumeClaim,
  type Pod,
  pods,
  type Volume,
} from "@kintsugi/api";

/** The next step for one ephemeral volume of a pod. */
export type EphemeralStep =
  | { readonly is: "nothing" }
  | { readonly is: "create"; readonly claim: PersistentVolumeClaim }
  /** Another object has the name; the pod waits until that object no longer exists. */
  | { readonly is: "conflict"; readonly because: string };

/** Returns the ephemeral volumes of a pod that still needs their claims. */
export function ephemeralVolumesOf({ metadata, spec }: Pod): readonly Volume[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  return (spec?.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined);
}

/** The claim belongs to the pod, so it is deleted with the pod (upstream's handleVolume). */
export function planEphemeralVolume(
  pod: Pod,
  volume: Volume,
  present: PersistentVolumeClaim | undefined,
): EphemeralStep {
  const { namespace, name: podName = "" } = pod.metadata;
  const name = claimOfVolume(volume, podName) ?? "";
  if (present !== undefined) {
    if (isClaimOfPod(present, pod)) return { is: "nothing" };
    const because = `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`;
    return { is: "conflict", because };
  }
  const { metadata = {}, spec = {} } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const { annotations, labels } = metadata;
  const claim: PersistentVolumeClaim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace,
      ownerReferences: [controllerReference(pod, pods)],
      ...(annotations === undefined ? {} : { annotations }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec,
  };
  return { is: "create", claim };
}

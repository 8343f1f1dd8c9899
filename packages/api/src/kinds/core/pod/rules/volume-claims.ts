import { controllerOf } from "../../../../meta/owner-references.ts";
import type { PersistentVolumeClaim } from "../../persistent-volume-claim/persistent-volume-claim.ts";
import type { Pod } from "../pod.ts";
import type { Volume } from "../volumes/volume.ts";

/**
 * Returns the name of the PersistentVolumeClaim behind a volume; undefined for a volume without a
 * claim. The claim of an ephemeral volume is named after pod and volume.
 */
export function claimOfVolume(volume: Volume, podName: string): string | undefined {
  return volume.ephemeral === undefined ? volume.persistentVolumeClaim?.claimName : `${podName}-${volume.name}`;
}

/**
 * Reports whether the claim was made for an ephemeral volume of the pod (upstream's
 * VolumeIsForPod): a claim that only shares the name belongs to another owner.
 */
export function isClaimOfPod(claim: PersistentVolumeClaim, pod: Pick<Pod, "metadata">): boolean {
  const { namespace, uid } = pod.metadata;
  return claim.metadata.namespace === namespace && controllerOf(claim)?.uid === uid;
}

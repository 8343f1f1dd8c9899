import type { PersistentVolumeClaim } from "../persistent-volume-claim/persistent-volume-claim.ts";
import type { PersistentVolume } from "./persistent-volume.ts";

/**
 * This annotation of claims and volumes contained the class before the field existed; it still
 * takes precedence.
 */
export const betaStorageClassAnnotation = "volume.beta.kubernetes.io/storage-class";

/** The name of a claim's StorageClass; empty for a claim of volumes without a class. */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[betaStorageClassAnnotation] ?? spec?.storageClassName ?? "";
}

/** The name of a volume's StorageClass; empty for a volume without a class. */
export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[betaStorageClassAnnotation] ?? spec?.storageClassName ?? "";
}

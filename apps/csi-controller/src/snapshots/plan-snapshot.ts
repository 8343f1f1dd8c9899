import {
  apiVersionOf,
  bytesQuantity,
  contentNameOf,
  defaultSnapshotClassAnnotation,
  formatTimestamp,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  type VolumeSnapshotContent,
  volumeSnapshotContents,
  volumeSnapshots,
  type VolumeSnapshotStatus,
} from "@kintsugi/api";
import { secretOfSnapshotClass } from "../secrets.ts";
import {
  beingCreatedAnnotation,
  contentFinalizer,
  deletionSecretName,
  deletionSecretNamespace,
} from "../snapshot-keys.ts";

// The steps of a snapshot. Each line is one write or one call. After a crash between any two steps,
// the next inspection of the objects continues.
//
//   created ─► finalizer ─► class ─► claim's finalizer ─► content ─► bound name
//     content: being-created ─► CreateSnapshot ─► handle, size, ready ─► annotation removed
//     snapshot: creation time, size, readyToUse; the claim's finalizer is removed
//   deleted ─► being-deleted at the content ─► Delete: content deleted ─► DeleteSnapshot ─► end
//                                           └► Retain: the content is retained

/** A fault for a snapshot's status, with the reason of its event. */
export interface SnapshotFault {
  readonly reason: string;
  readonly message: string;
}

/**
 * Returns the fault of a snapshot and the content that it names or was assigned; undefined without
 * a fault.
 */
export function findBindingFault(
  { metadata, spec }: VolumeSnapshot,
  content: VolumeSnapshotContent,
): SnapshotFault | undefined {
  const { source, volumeSnapshotRef: ref } = content.spec;
  const name = content.metadata.name ?? "";
  const isPreProvisioned = spec.source.volumeSnapshotContentName !== undefined;
  if (isPreProvisioned && source.snapshotHandle === undefined) {
    const message = "VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one";
    return { reason: "SnapshotContentMismatch", message };
  }
  if (!isPreProvisioned && source.volumeHandle === undefined) {
    const message = `VolumeSnapshotContent ${name} is pre-provisioned while expecting a dynamically provisioned one`;
    return { reason: "SnapshotContentMismatch", message };
  }
  const isOther = ref.uid !== metadata.uid && !(isPreProvisioned && (ref.uid ?? "") === "");
  if (ref.name !== metadata.name || ref.namespace !== metadata.namespace || isOther)
    return {
      reason: "SnapshotContentMisbound",
      message: `VolumeSnapshotContent [${name}] is bound to a different snapshot`,
    };
  return undefined;
}

/** Returns the name of a snapshot's content, whether the content exists or not. */
export function contentNameFor(snapshot: VolumeSnapshot): string {
  const { spec, status } = snapshot;
  return status?.boundVolumeSnapshotContentName ?? spec.source.volumeSnapshotContentName ?? contentNameOf(snapshot);
}

/** Reports whether the content names this snapshot, including its UID. */
export function pointsBack({ spec }: VolumeSnapshotContent, { metadata }: VolumeSnapshot): boolean {
  const { name, namespace, uid } = spec.volumeSnapshotRef;
  return name === metadata.name && namespace === metadata.namespace && uid === metadata.uid;
}

/** @throws Error in upstream's words unless the driver has exactly one default class. */
export function defaultClassOf(classes: readonly VolumeSnapshotClass[], driverName: string): VolumeSnapshotClass {
  const defaults = classes.filter(
    ({ metadata, driver }) =>
      driver === driverName && metadata.annotations?.[defaultSnapshotClassAnnotation] === "true",
  );
  if (defaults.length > 1) throw new Error(`${defaults.length} default snapshot classes were found`);
  const [only] = defaults;
  if (only === undefined) throw new Error("cannot find default snapshot class");
  return only;
}

export interface SnapshotTask {
  readonly snapshot: VolumeSnapshot;
  readonly snapshotClass: VolumeSnapshotClass;
  readonly volume: PersistentVolume;
}

/** Returns the content of a snapshot that will be taken of the volume. */
export function planContent({ snapshot, snapshotClass, volume }: SnapshotTask): VolumeSnapshotContent {
  const { namespace, name, uid, resourceVersion } = snapshot.metadata;
  const contentName = contentNameOf(snapshot);
  const secret = secretOfSnapshotClass(snapshotClass, { snapshot, contentName });
  const annotations =
    secret === undefined ? {} : { [deletionSecretName]: secret.name, [deletionSecretNamespace]: secret.namespace };
  return {
    apiVersion: apiVersionOf(volumeSnapshotContents),
    kind: volumeSnapshotContents.kind,
    metadata: { name: contentName, annotations, finalizers: [contentFinalizer] },
    spec: {
      deletionPolicy: snapshotClass.deletionPolicy,
      driver: snapshotClass.driver,
      source: { volumeHandle: volume.spec?.csi?.volumeHandle ?? "" },
      sourceVolumeMode: volume.spec?.volumeMode ?? "Filesystem",
      volumeSnapshotClassName: snapshotClass.metadata.name ?? "",
      volumeSnapshotRef: {
        apiVersion: apiVersionOf(volumeSnapshots),
        kind: volumeSnapshots.kind,
        ...(namespace === undefined ? {} : { namespace }),
        ...(name === undefined ? {} : { name }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    },
  };
}

/** Returns a snapshot's status from its content. */
export function planSnapshotStatus(
  { status = {} }: VolumeSnapshot,
  content: VolumeSnapshotContent,
): VolumeSnapshotStatus {
  const { creationTime, restoreSize, readyToUse = false, error } = content.status ?? {};
  const { error: _, ...kept } = status;
  return {
    ...kept,
    boundVolumeSnapshotContentName: content.metadata.name ?? "",
    readyToUse,
    ...(creationTime === undefined || kept.creationTime !== undefined
      ? {}
      : { creationTime: formatTimestamp(creationTime / 1_000_000) }),
    ...(restoreSize === undefined ? {} : { restoreSize: bytesQuantity(restoreSize) }),
    ...(error === undefined || readyToUse ? {} : { error }),
  };
}

/** A claim is a source while a snapshot of it may still be taken. */
export function isTakenOf(
  snapshot: VolumeSnapshot,
  { claim, content }: { claim: PersistentVolumeClaim; content: VolumeSnapshotContent | undefined },
): boolean {
  const { metadata, spec, status } = snapshot;
  if (spec.source.persistentVolumeClaimName !== claim.metadata.name) return false;
  if (metadata.namespace !== claim.metadata.namespace || status?.creationTime !== undefined) return false;
  // A snapshot that is being deleted is only taken if the driver may already be taking it.
  return (
    metadata.deletionTimestamp === undefined || content?.metadata.annotations?.[beingCreatedAnnotation] !== undefined
  );
}

/** Reports whether a claim waits for a volume from the snapshot. */
export function isMadeOf({ metadata, spec, status }: PersistentVolumeClaim, snapshot: VolumeSnapshot): boolean {
  const { apiGroup, kind, name } = spec?.dataSource ?? {};
  return (
    apiGroup === volumeSnapshots.group &&
    kind === volumeSnapshots.kind &&
    name === snapshot.metadata.name &&
    metadata.namespace === snapshot.metadata.namespace &&
    metadata.deletionTimestamp === undefined &&
    status?.phase === "Pending"
  );
}

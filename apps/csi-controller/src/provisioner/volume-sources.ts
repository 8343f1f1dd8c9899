import {
  memoryBytes,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type VolumeAttributesClass,
  volumeAttributesClasses,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotContents,
  volumeSnapshots,
} from "@kintsugi/api";
import type { VolumeContentSource } from "@kintsugi/csi";
import type { StorageContext } from "../context.ts";
import { sourceFinalizer } from "../snapshot-keys.ts";

/**
 * Annotation of a content: volumes created from it may have a mode that differs from its source's.
 */
const modeChangeAnnotation = "snapshot.storage.kubernetes.io/allow-volume-mode-change";

/** The source of a claim is not ready yet, but may become ready, so the claim waits for it. */
export class SourceNotReady extends Error {
  override readonly name = "SourceNotReady";
}

/**
 * Returns the source that a claim names. @throws SourceNotReady, and Error where the claim cannot
 * be created from it.
 */
export async function contentSourceOf(
  context: StorageContext,
  claim: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<VolumeContentSource | undefined> {
  const source = claim.spec?.dataSource;
  if (source === undefined) return undefined;
  if (source.kind === persistentVolumeClaims.kind) return volumeSourceOf(context, claim, source.name);
  if (source.kind !== volumeSnapshots.kind) throw new Error(`data source kind ${source.kind} is not supported`);
  const { client, driverName } = context;
  const key = { namespace: claim.metadata.namespace ?? "", name: source.name };
  const snapshot = await client.find(volumeSnapshots, key, { signal });
  if (snapshot === undefined)
    throw new SourceNotReady(`error getting snapshot ${source.name} from api server: not found`);
  const name = snapshot.status?.boundVolumeSnapshotContentName ?? "";
  const content =
    name === "" ? undefined : await client.find(volumeSnapshotContents, { namespace: "", name }, { signal });
  return snapshotSource({ claim, snapshot, content }, driverName);
}

/** @throws Error while the claim to be copied has no volume of the driver. */
function volumeSourceOf(
  { informers, driverName }: StorageContext,
  claim: PersistentVolumeClaim,
  name: string,
): VolumeContentSource {
  const key = { namespace: claim.metadata.namespace ?? "", name };
  const copied = informers.of(persistentVolumeClaims).find(key);
  const volumeName = copied?.status?.phase === "Bound" ? (copied.spec?.volumeName ?? "") : "";
  const volume = informers.of(persistentVolumes).find({ namespace: "", name: volumeName });
  if (volume?.spec?.csi?.driver === driverName) return { volume: { volumeId: volume.spec.csi.volumeHandle } };
  throw new Error(`the source PVC ${key.namespace}/${key.name} has no volume of the driver ${driverName}`);
}

interface Restored {
  readonly claim: PersistentVolumeClaim;
  readonly snapshot: VolumeSnapshot;
  readonly content: VolumeSnapshotContent | undefined;
}

/**
 * Returns the source of a claim that is created from a snapshot, in the order and the words of
 * upstream's provisioner. @throws SourceNotReady, and Error where the claim cannot be created from
 * it.
 */
function snapshotSource({ claim, snapshot, content }: Restored, driverName: string): VolumeContentSource {
  const { metadata, status } = snapshot;
  const name = metadata.name ?? "";
  // A snapshot with the finalizer is retained until the claim has its volume.
  const isKept = (metadata.finalizers ?? []).includes(sourceFinalizer);
  if (metadata.deletionTimestamp !== undefined && !isKept) throw new Error(`snapshot ${name} is being deleted`);
  const ref = content?.spec.volumeSnapshotRef;
  const isBound = ref?.uid === metadata.uid && ref?.name === metadata.name && ref?.namespace === metadata.namespace;
  if (content === undefined || !isBound) throw new SourceNotReady(`snapshot ${name} not bound`);
  if (content.spec.driver !== driverName)
    throw new Error(
      `snapshot ${name} belongs to the driver ${content.spec.driver}, and the StorageClass to ${driverName}`,
    );
  if (status?.readyToUse !== true) throw new SourceNotReady(`snapshot ${name} is not Ready`);
  const snapshotId = content.status?.snapshotHandle;
  if (snapshotId === undefined) throw new SourceNotReady(`snapshot handle ${name} is not available`);
  const [wanted, least] = [memoryBytes(claim.spec?.resources?.requests?.["storage"]), memoryBytes(status.restoreSize)];
  if (wanted < least)
    throw new Error(`requested volume size ${wanted} is less than the size ${least} for the source snapshot ${name}`);
  const { volumeMode = "Filesystem" } = claim.spec ?? {};
  const { sourceVolumeMode = volumeMode } = content.spec;
  if (sourceVolumeMode !== volumeMode && content.metadata.annotations?.[modeChangeAnnotation] !== "true") {
    const claimName = `${claim.metadata.namespace}/${claim.metadata.name}`;
    throw new Error(
      `requested volume ${claimName} modifies the mode of the source volume but does not have permission to do so. ` +
        `${modeChangeAnnotation} annotation is not present on snapshotcontent ${content.metadata.name}`,
    );
  }
  return { snapshot: { snapshotId } };
}

/**
 * Returns the VolumeAttributesClass that a claim names. @throws SourceNotReady while the class does
 * not exist, and Error for a class of another driver.
 */
export async function attributesClassOf(
  { client, driverName }: StorageContext,
  { spec }: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<VolumeAttributesClass | undefined> {
  const name = spec?.volumeAttributesClassName ?? "";
  if (name === "") return undefined;
  const found = await client.find(volumeAttributesClasses, { namespace: "", name }, { signal });
  if (found === undefined) throw new SourceNotReady(`error getting VolumeAttributesClass ${name}: not found`);
  if (found.driverName === driverName) return found;
  throw new Error(
    `VAC ${name} referenced in PVC is for driver ${found.driverName} which does not match driver name ${driverName}`,
  );
}

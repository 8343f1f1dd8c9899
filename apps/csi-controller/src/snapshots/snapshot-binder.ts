import {
  contentNameOf,
  isApiError,
  parseKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  volumeSnapshotClasses,
  type VolumeSnapshotContent,
  volumeSnapshotContents,
  volumeSnapshots,
  messageOf,
} from "@kintsugi/api";
import { done, on, type ReconcileResult, reading, referenceTo, settled } from "@kintsugi/controller";
import { defineStorageController, type StorageContext } from "../context.ts";
import { withFinalizer, withoutFinalizers } from "../finalizers.ts";
import {
  contentNameFor,
  defaultClassOf,
  findBindingFault,
  isMadeOf,
  isTakenOf,
  planContent,
  planSnapshotStatus,
  pointsBack,
  type SnapshotFault,
} from "./plan-snapshot.ts";
import {
  beingDeletedAnnotation,
  boundFinalizer,
  sourceClaimFinalizer,
  contentFinalizer,
  sourceFinalizer,
} from "../snapshot-keys.ts";
import { putFault, putStatus } from "./snapshot-status.ts";

/** Another writer was faster; in most cases the change has arrived after this time. */
const conflictRetryMs = 50;
/** Interval after which a snapshot whose source does not exist yet is inspected again. */
const sourceRetryMs = 10_000;

const indexedSnapshots = reading(volumeSnapshots, {
  claim: ({ metadata, spec }) =>
    spec.source.persistentVolumeClaimName === undefined
      ? []
      : [`${metadata.namespace}/${spec.source.persistentVolumeClaimName}`],
});

/**
 * Binds snapshots and their contents, like upstream's snapshot-controller, for one driver.
 * Snapshots of other drivers are left to their services.
 */
export const snapshotBinder = defineStorageController({
  name: "snapshot-binder",
  options: {},
  roles: [],
  events: "snapshot-controller",
  reads: [indexedSnapshots, volumeSnapshotContents, volumeSnapshotClasses, persistentVolumeClaims, persistentVolumes],
  create(context) {
    const { informers } = context;
    const snapshotsOf = (claimKey: string) =>
      informers
        .of(volumeSnapshots)
        .byIndex("claim", claimKey)
        .filter(({ status }) => status?.readyToUse !== true)
        .map(keyText);
    return {
      // Upstream's default of --worker-threads.
      workers: 10,
      keys: volumeSnapshots,
      watches: [
        on(volumeSnapshots),
        on(volumeSnapshotContents, ({ object }) => {
          const { namespace = "", name = "" } = object.spec.volumeSnapshotRef;
          return [`${namespace}/${name}`];
        }),
        on(persistentVolumeClaims, ({ object }) => {
          const { metadata, spec } = object;
          const source = spec?.dataSource?.kind === volumeSnapshots.kind ? [spec.dataSource.name] : [];
          const restored = source.map((name) => `${metadata.namespace}/${name}`);
          return [...snapshotsOf(keyText(object)), ...restored];
        }),
        on(volumeSnapshotClasses, () =>
          informers
            .of(volumeSnapshots)
            .list()
            .filter(({ status }) => status?.boundVolumeSnapshotContentName === undefined)
            .map(keyText),
        ),
      ],
      reconcile: (key, signal) => settled(reconcile(context, key, signal)),
      also: {
        queue: "snapshot-sources",
        workers: 5,
        keys: persistentVolumeClaims,
        watches: [
          on(persistentVolumeClaims),
          on(volumeSnapshots, ({ object: { metadata, spec } }) =>
            spec.source.persistentVolumeClaimName === undefined
              ? []
              : [`${metadata.namespace}/${spec.source.persistentVolumeClaimName}`],
          ),
        ],
        reconcile: (key, signal) => settled(releaseClaim(context, key, signal)),
      },
    };
  },
});

async function reconcile(context: StorageContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const snapshot = context.informers.of(volumeSnapshots).find(parseKey(key));
  if (snapshot === undefined) return done;
  if (snapshot.metadata.deletionTimestamp !== undefined) return remove(context, snapshot, signal);
  const { driverName } = context;
  // The cache may be older than the content that this process has made.
  const content = await findContent(context, contentNameFor(snapshot), signal);
  if (content !== undefined && content.spec.driver !== driverName) return done;
  if (content !== undefined) return bind(context, { snapshot, content }, signal);
  if (snapshot.spec.source.volumeSnapshotContentName !== undefined || isBound(snapshot)) {
    const fault = { reason: "SnapshotContentMissing", message: "VolumeSnapshotContent is missing" };
    await putFault(context, { snapshot, fault }, signal);
    return done;
  }
  return begin(context, snapshot, signal);
}

function isBound({ status }: VolumeSnapshot): boolean {
  return status?.boundVolumeSnapshotContentName !== undefined;
}

interface Bound {
  readonly snapshot: VolumeSnapshot;
  readonly content: VolumeSnapshotContent;
}

async function bind(
  context: StorageContext,
  { snapshot, content }: Bound,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { client } = context;
  const found = findBindingFault(snapshot, content);
  if (found !== undefined) {
    const isLate = snapshot.status?.readyToUse === true && found.reason === "SnapshotContentMisbound";
    const message = "VolumeSnapshotContent is not bound to the VolumeSnapshot correctly";
    const fault: SnapshotFault = isLate ? { reason: "SnapshotMisbound", message } : found;
    await putFault(context, { snapshot, fault }, signal);
    return done;
  }
  const claimed = claimedBy(content, snapshot);
  const own = claimed === undefined ? content : await client.update(volumeSnapshotContents, claimed, { signal });
  const held = withSnapshotFinalizers(snapshot, own);
  const stored = held === undefined ? snapshot : await client.update(volumeSnapshots, held, { signal });
  await putStatus(context, { snapshot: stored, status: planSnapshotStatus(stored, own) }, signal);
  return done;
}

/**
 * Returns a content that waited for the snapshot as bound to it; undefined when the content is
 * already bound.
 */
function claimedBy(content: VolumeSnapshotContent, snapshot: VolumeSnapshot): VolumeSnapshotContent | undefined {
  const { spec } = content;
  if (content.metadata.deletionTimestamp !== undefined || (spec.volumeSnapshotRef.uid ?? "") !== "") return undefined;
  const { uid = "" } = snapshot.metadata;
  const { volumeSnapshotClassName } = snapshot.spec;
  const bound = {
    ...content,
    spec: {
      ...spec,
      volumeSnapshotRef: { ...spec.volumeSnapshotRef, uid },
      ...(volumeSnapshotClassName === undefined ? {} : { volumeSnapshotClassName }),
    },
  };
  return withFinalizer(bound, contentFinalizer) ?? bound;
}

/** Returns the snapshot with its missing finalizers; undefined when the snapshot has them. */
function withSnapshotFinalizers(
  snapshot: VolumeSnapshot,
  content: VolumeSnapshotContent | undefined,
): VolumeSnapshot | undefined {
  const asSource = withFinalizer(snapshot, sourceFinalizer);
  if (content?.spec.deletionPolicy !== "Delete") return asSource;
  return withFinalizer(asSource ?? snapshot, boundFinalizer) ?? asSource;
}

/** There is no content yet, so the claim gets a finalizer, and the content is created. */
async function begin(context: StorageContext, snapshot: VolumeSnapshot, signal: AbortSignal): Promise<ReconcileResult> {
  const { client, recordEvent } = context;
  const source = findSource(context, snapshot);
  if ("fault" in source) {
    // The service of another driver has the same information, so it cannot determine the snapshot's
    // driver either.
    await putFault(context, { snapshot, fault: source.fault }, signal);
    // Claims wake their snapshots, but the volume of a claim may be known a moment later.
    return { retryAfterMs: sourceRetryMs };
  }
  const { claim, volume } = source;
  if (volume.spec?.csi?.driver !== context.driverName) return done;
  const chosen = chooseClass(context, snapshot);
  if ("fault" in chosen) {
    await putFault(context, { snapshot, fault: chosen.fault }, signal);
    return done;
  }
  const { snapshotClass } = chosen;
  const named = { ...snapshot, spec: { ...snapshot.spec, volumeSnapshotClassName: snapshotClass.metadata.name ?? "" } };
  const isNamed = snapshot.spec.volumeSnapshotClassName !== undefined;
  const held = withFinalizer(named, sourceFinalizer) ?? (isNamed ? undefined : named);
  const stored = held === undefined ? snapshot : await client.update(volumeSnapshots, held, { signal });
  let content: VolumeSnapshotContent;
  try {
    await holdClaim(context, claim, signal);
    content = planContent({ snapshot: stored, snapshotClass, volume });
    content = await client.create(volumeSnapshotContents, content, { signal });
  } catch (error) {
    // Created by an attempt whose answer was lost.
    if (isApiError(error, "AlreadyExists")) return { retryAfterMs: conflictRetryMs };
    if (isApiError(error, "Conflict") || signal.aborted) throw error;
    await putFault(context, { snapshot: stored, fault: creationFault(error) }, signal);
    throw error;
  }
  const about = referenceTo(volumeSnapshots, stored);
  const name = `${stored.metadata.namespace}/${stored.metadata.name}`;
  const message = `Waiting for a snapshot ${name} to be created by the CSI driver.`;
  recordEvent({ about, type: "Normal", reason: "CreatingSnapshot", message });
  await putStatus(context, { snapshot: stored, status: planSnapshotStatus(stored, content) }, signal);
  return done;
}

function creationFault(error: unknown): SnapshotFault {
  const because = messageOf(error);
  const message = `Failed to create snapshot content with error ${because}`;
  return { reason: "SnapshotContentCreationFailed", message };
}

type Source = { claim: PersistentVolumeClaim; volume: PersistentVolume } | { fault: SnapshotFault };

function findSource({ informers }: StorageContext, { metadata, spec }: VolumeSnapshot): Source {
  const { namespace = "", name: snapshotName = "" } = metadata;
  const name = spec.source.persistentVolumeClaimName ?? "";
  const claim = informers.of(persistentVolumeClaims).find({ namespace, name });
  if (claim === undefined)
    return {
      fault: creationFault(new Error(`cannot get claim ${namespace}/${name} of snapshot ${snapshotName}: not found`)),
    };
  if (claim.status?.phase !== "Bound") {
    const because = `the PVC ${name} is not yet bound to a PV, will not attempt to take a snapshot`;
    return { fault: creationFault(new Error(because)) };
  }
  const volume = informers.of(persistentVolumes).find({ namespace: "", name: claim.spec?.volumeName ?? "" });
  if (volume?.spec?.claimRef?.uid !== claim.metadata.uid || volume === undefined)
    return { fault: creationFault(new Error("claim in dataSource not bound or invalid")) };
  if (volume.spec?.csi === undefined) {
    const because = `cannot find CSI PersistentVolumeSource for volume ${volume.metadata.name}`;
    return { fault: creationFault(new Error(because)) };
  }
  return { claim, volume };
}

type ChosenClass = { snapshotClass: VolumeSnapshotClass } | { fault: SnapshotFault };

function chooseClass({ informers, driverName }: StorageContext, { spec }: VolumeSnapshot): ChosenClass {
  const classes = informers.of(volumeSnapshotClasses);
  const name = spec.volumeSnapshotClassName;
  const failed = (reason: string, what: string, because: string): ChosenClass => ({
    fault: { reason, message: `Failed to ${what} with error ${because}` },
  });
  if (name === undefined) {
    try {
      return { snapshotClass: defaultClassOf(classes.list(), driverName) };
    } catch (error) {
      return failed("SetDefaultSnapshotClassFailed", "set default snapshot class", (error as Error).message);
    }
  }
  const snapshotClass = classes.find({ namespace: "", name });
  if (snapshotClass === undefined) {
    const because = `volumesnapshotclass.snapshot.storage.k8s.io "${name}" not found`;
    return failed("GetSnapshotClassFailed", "get snapshot class", because);
  }
  if (snapshotClass.driver === driverName) return { snapshotClass };
  const because = `class ${name} belongs to the driver ${snapshotClass.driver}, and the volume to ${driverName}`;
  return failed("GetSnapshotClassFailed", "get snapshot class", because);
}

/** @throws Error while the claim is being deleted. */
async function holdClaim({ client }: StorageContext, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
  if (claim.metadata.deletionTimestamp !== undefined)
    throw new Error("cannot add finalizer on claim because it is being deleted");
  const held = withFinalizer(claim, sourceClaimFinalizer);
  if (held !== undefined) await client.update(persistentVolumeClaims, held, { signal });
}

/**
 * The claim's finalizer is removed when its last snapshot has been taken, or was deleted before.
 */
async function releaseClaim(context: StorageContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const { informers, client } = context;
  const claim = informers.of(persistentVolumeClaims).find(parseKey(key));
  const rest = claim && withoutFinalizers(claim, sourceClaimFinalizer);
  if (claim === undefined || rest === undefined) return done;
  const isSource = informers
    .of(volumeSnapshots)
    .byIndex("claim", key)
    .some((snapshot) => {
      const content = informers.of(volumeSnapshotContents).find({ namespace: "", name: contentNameOf(snapshot) });
      return isTakenOf(snapshot, { claim, content });
    });
  if (!isSource) await client.update(persistentVolumeClaims, rest, { signal });
  return done;
}

async function remove(
  context: StorageContext,
  snapshot: VolumeSnapshot,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { informers, client, driverName, recordEvent } = context;
  const found = await findContent(context, contentNameFor(snapshot), signal);
  if (found !== undefined && found.spec.driver !== driverName) return done;
  const content = found !== undefined && pointsBack(found, snapshot) ? found : undefined;
  if (
    content !== undefined &&
    informers
      .of(persistentVolumeClaims)
      .list()
      .some((claim) => isMadeOf(claim, snapshot))
  ) {
    const about = referenceTo(volumeSnapshots, snapshot);
    const message = "Snapshot is being used to restore a PVC";
    recordEvent({ about, type: "Warning", reason: "SnapshotDeletePending", message });
    return done;
  }
  if (content !== undefined) await letGo(context, content, signal);
  const isToGo = content?.spec.deletionPolicy === "Delete";
  const rest = withoutFinalizers(snapshot, sourceFinalizer, ...(isToGo ? [] : [boundFinalizer]));
  if (rest !== undefined) await client.update(volumeSnapshots, rest, { signal });
  return done;
}

/**
 * Marks the content, and deletes it where its policy requires it; the driver's snapshot is deleted
 * first.
 */
async function letGo({ client }: StorageContext, content: VolumeSnapshotContent, signal: AbortSignal): Promise<void> {
  const { metadata, spec } = content;
  const annotations = { ...metadata.annotations, [beingDeletedAnnotation]: "yes" };
  if (metadata.annotations?.[beingDeletedAnnotation] === undefined)
    await client.update(volumeSnapshotContents, { ...content, metadata: { ...metadata, annotations } }, { signal });
  if (spec.deletionPolicy !== "Delete" || metadata.deletionTimestamp !== undefined) return;
  const { name = "", uid } = metadata;
  const preconditions = uid === undefined ? {} : { uid };
  await client
    .delete(volumeSnapshotContents, { namespace: "", name }, { signal, preconditions })
    .catch((error: unknown) => {
      if (!isApiError(error, "NotFound")) throw error;
    });
}

function findContent(
  { client }: StorageContext,
  name: string,
  signal: AbortSignal,
): Promise<VolumeSnapshotContent | undefined> {
  return client.find(volumeSnapshotContents, { namespace: "", name }, { signal });
}

function keyText({ metadata }: { metadata: { namespace?: string | undefined; name?: string | undefined } }): string {
  return `${metadata.namespace}/${metadata.name}`;
}

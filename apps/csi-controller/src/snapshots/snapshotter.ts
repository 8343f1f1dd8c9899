import {
  ApiError,
  formatTimestamp,
  isApiError,
  parseKey,
  sameJson,
  volumeSnapshotClasses,
  type VolumeSnapshotContent,
  volumeSnapshotContents,
} from "@kintsugi/api";
import { done, on, type ReconcileResult, referenceTo, settled } from "@kintsugi/controller";
import { type CsiSnapshot, isFinal, type Texts } from "@kintsugi/csi";
import { defineStorageController, type StorageContext } from "../context.ts";
import { withFinalizer, withoutFinalizers } from "../finalizers.ts";
import { rpcText } from "../rpc-text.ts";
import { driverParameters, readSecret } from "../secrets.ts";
import {
  beingCreatedAnnotation,
  beingDeletedAnnotation,
  contentFinalizer,
  deletionSecretName,
  deletionSecretNamespace,
} from "../snapshot-keys.ts";

/** Another writer was faster; in most cases the change has arrived after this time. */
const conflictRetryMs = 50;
/** Interval after which a driver that still uploads a snapshot is called again. */
const uploadPollMs = 5_000;

/** Calls the driver to take and delete snapshots for contents, like upstream's csi-snapshotter. */
export const snapshotter = defineStorageController({
  name: "snapshotter",
  options: {},
  roles: [],
  events: "kintsugi-csi-snapshotter",
  reads: [volumeSnapshotContents, volumeSnapshotClasses],
  create(context) {
    return {
      // Upstream's default of --worker-threads.
      workers: 10,
      keys: volumeSnapshotContents,
      watches: [
        on(volumeSnapshotContents, (change) => {
          const isOwnWrite = change.type === "modified" && sameJson(desiredOf(change.before), desiredOf(change.object));
          return isOwnWrite ? [] : [change.object.metadata.name ?? ""];
        }),
        on(volumeSnapshotClasses, ({ object }) =>
          context.informers
            .of(volumeSnapshotContents)
            .list()
            .filter(({ spec }) => spec.volumeSnapshotClassName === object.metadata.name)
            .map(({ metadata }) => metadata.name ?? ""),
        ),
      ],
      reconcile: (key, signal) => settled(reconcile(context, key, signal)),
    };
  },
});

/**
 * Returns the parts of the content that other writers set. The mark and the status are this
 * controller's own, and a failed attempt would wake itself by them and never back off.
 */
function desiredOf({ metadata, spec }: VolumeSnapshotContent): object {
  const { annotations = {}, finalizers = [], deletionTimestamp = "" } = metadata;
  const { [beingCreatedAnnotation]: _, ...others } = annotations;
  return { annotations: others, finalizers, deletionTimestamp, spec };
}

async function reconcile(context: StorageContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const content = context.informers.of(volumeSnapshotContents).find(parseKey(key));
  if (content?.spec.driver !== context.driverName) return done;
  switch (planContentStep(content)) {
    case "wait":
      return done;
    case "delete":
      await remove(context, content, signal);
      return done;
    case "take":
      return take(context, content, signal);
    case "look":
      return look(context, content, signal);
  }
}

/**
 * Returns the next step of a content: the driver takes its snapshot, reports on an existing
 * snapshot, or deletes it. A call whose answer is unknown is repeated until it is known, even when
 * the content is being deleted, because only then the snapshot to be deleted is known.
 */
function planContentStep({ metadata, spec, status }: VolumeSnapshotContent): "take" | "look" | "delete" | "wait" {
  const { annotations = {}, deletionTimestamp } = metadata;
  const isUnsure = annotations[beingCreatedAnnotation] !== undefined;
  const isGoing = deletionTimestamp !== undefined;
  if (isGoing && spec.source.snapshotHandle !== undefined && (spec.volumeSnapshotRef.uid ?? "") === "") return "delete";
  if (isGoing && !isUnsure) return annotations[beingDeletedAnnotation] === undefined ? "wait" : "delete";
  if (status?.readyToUse === true && !isUnsure) return "wait";
  return spec.source.volumeHandle === undefined ? "look" : "take";
}

async function take(
  context: StorageContext,
  content: VolumeSnapshotContent,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { driver, informers } = context;
  const { volumeHandle: sourceVolumeId = "" } = content.spec.source;
  const failed = (error: unknown) =>
    putFault(context, { content, reason: "SnapshotCreationFailed", message: creationText(content, error) }, signal);
  let marked = content;
  let snapshot: CsiSnapshot | undefined;
  try {
    const className = content.spec.volumeSnapshotClassName ?? "";
    const snapshotClass = informers.of(volumeSnapshotClasses).find({ namespace: "", name: className });
    if (snapshotClass === undefined)
      throw new Error(`failed to retrieve snapshot class ${className} from the informer: not found`);
    const secrets = await secretsOf(context, content, signal);
    marked = await markCreation(context, content, signal);
    const name = `snapshot-${content.spec.volumeSnapshotRef.uid}`;
    const request = { name, sourceVolumeId, parameters: driverParameters(snapshotClass), secrets };
    ({ snapshot } = await driver.createSnapshot(request, signal));
    if (snapshot === undefined) throw new Error("the driver answered without a snapshot");
  } catch (error) {
    if (isApiError(error) || signal.aborted) throw error;
    if (isFinal(error)) await unmark(context, marked, signal);
    await failed(error);
    throw error;
  }
  // The handle is written to the status before the mark is removed; until then the call is
  // repeated.
  const stored = await putStatus(context, { content: marked, snapshot }, signal);
  await unmark(context, stored, signal);
  if (stored.metadata.deletionTimestamp !== undefined) return { retryAfterMs: conflictRetryMs };
  return snapshot.readyToUse ? done : { retryAfterMs: uploadPollMs };
}

function creationText({ spec }: VolumeSnapshotContent, error: unknown): string {
  const because = JSON.stringify(rpcText(error));
  return `Failed to create snapshot: failed to take snapshot of the volume ${spec.source.volumeHandle}: ${because}`;
}

/** The driver reports on a snapshot that existed before its content where it lists snapshots. */
async function look(
  context: StorageContext,
  content: VolumeSnapshotContent,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { driver } = context;
  const { snapshotHandle: snapshotId = "" } = content.spec.source;
  try {
    const { capabilities } = await driver.controllerGetCapabilities({}, signal);
    const lists = capabilities.some(({ rpc }) => rpc?.type === "LIST_SNAPSHOTS");
    const snapshot = lists ? await listed(context, { content, snapshotId }, signal) : { snapshotId, readyToUse: true };
    await putStatus(context, { content, snapshot }, signal);
    return snapshot.readyToUse ? done : { retryAfterMs: uploadPollMs };
  } catch (error) {
    if (isApiError(error) || signal.aborted) throw error;
    const message = `Failed to check and update snapshot content: ${rpcText(error)}`;
    await putFault(context, { content, reason: "SnapshotContentCheckandUpdateFailed", message }, signal);
    throw error;
  }
}

async function listed(
  context: StorageContext,
  { content, snapshotId }: { content: VolumeSnapshotContent; snapshotId: string },
  signal: AbortSignal,
): Promise<CsiSnapshot> {
  const page = { maxEntries: 0, startingToken: "", sourceVolumeId: "" };
  const secrets = await secretsOf(context, content, signal);
  const { entries } = await context.driver.listSnapshots({ ...page, snapshotId, secrets }, signal);
  const found = entries.find(({ snapshot }) => snapshot?.snapshotId === snapshotId)?.snapshot;
  if (found === undefined) throw new Error(`can not find snapshot for snapshotID ${snapshotId}`);
  return found;
}

/**
 * Deletes the driver's snapshot where the policy requires it, and removes the content's finalizer.
 */
async function remove(context: StorageContext, content: VolumeSnapshotContent, signal: AbortSignal): Promise<void> {
  const { client, driver, recordEvent } = context;
  const rest = withoutFinalizers(content, contentFinalizer);
  if (rest === undefined) return;
  const snapshotId = content.status?.snapshotHandle ?? "";
  if (content.spec.deletionPolicy === "Delete" && snapshotId !== "") {
    try {
      const secrets = await secretsOf(context, content, signal);
      await driver.deleteSnapshot({ snapshotId, secrets }, signal);
    } catch (error) {
      if (isApiError(error) || signal.aborted) throw error;
      const about = referenceTo(volumeSnapshotContents, content);
      const message = `Failed to delete snapshot: ${rpcText(error)}`;
      recordEvent({ about, type: "Warning", reason: "SnapshotDeleteError", message });
      throw error;
    }
  }
  await client.update(volumeSnapshotContents, rest, { signal });
}

/**
 * The driver is about to be called, so its snapshot may exist from now on. An attempt after the
 * first reads the content again, which another process may have finished and deleted in the
 * meantime.
 */
async function markCreation(
  { client }: StorageContext,
  content: VolumeSnapshotContent,
  signal: AbortSignal,
): Promise<VolumeSnapshotContent> {
  const { annotations, name = "", uid, deletionTimestamp } = content.metadata;
  if (annotations?.[beingCreatedAnnotation] !== undefined || content.status?.snapshotHandle !== undefined) {
    const current = await client.get(volumeSnapshotContents, { namespace: "", name }, { signal });
    if (current.metadata.uid === uid && planContentStep(current) === "take") return current;
    throw new ApiError("Conflict", `the content ${name} has changed`);
  }
  const metadata = { ...content.metadata, annotations: { ...annotations, [beingCreatedAnnotation]: "yes" } };
  const marked = { ...content, metadata };
  // A content that a user created lacks the finalizer.
  const held = deletionTimestamp === undefined ? withFinalizer(marked, contentFinalizer) : undefined;
  return client.update(volumeSnapshotContents, held ?? marked, { signal });
}

async function unmark({ client }: StorageContext, content: VolumeSnapshotContent, signal: AbortSignal): Promise<void> {
  const { [beingCreatedAnnotation]: mark, ...annotations } = content.metadata.annotations ?? {};
  if (mark === undefined) return;
  await client.update(
    volumeSnapshotContents,
    { ...content, metadata: { ...content.metadata, annotations } },
    { signal },
  );
}

/** The report of a driver. A driver that lists no snapshots reports only the name. */
type Reported = Pick<CsiSnapshot, "snapshotId" | "readyToUse"> & Partial<CsiSnapshot>;

async function putStatus(
  { client, clock }: StorageContext,
  { content, snapshot }: { content: VolumeSnapshotContent; snapshot: Reported },
  signal: AbortSignal,
): Promise<VolumeSnapshotContent> {
  const { snapshotId, readyToUse, creationTime, sizeBytes } = snapshot;
  const nowMs = clock.nowMs();
  const { seconds = Math.floor(nowMs / 1000), nanos = 0 } = creationTime ?? {};
  const status = {
    snapshotHandle: snapshotId,
    readyToUse,
    // Nanoseconds since 1970 have more digits than a number can hold exactly; the remaining digits
    // are noise.
    creationTime: content.status?.creationTime ?? seconds * 1_000_000_000 + nanos,
    ...(sizeBytes === undefined ? {} : { restoreSize: sizeBytes }),
  };
  if (content.status !== undefined && sameJson(content.status, status)) return content;
  return client.update(volumeSnapshotContents, { ...content, status }, { subresource: "status", signal });
}

/** Writes the fault into the status, with an event, unless the status already has the fault. */
async function putFault(
  { client, clock, recordEvent }: StorageContext,
  { content, reason, message }: { content: VolumeSnapshotContent; reason: string; message: string },
  signal: AbortSignal,
): Promise<void> {
  const key = { namespace: "", name: content.metadata.name ?? "" };
  const current = await client.find(volumeSnapshotContents, key, { signal });
  if (current === undefined || current.status?.error?.message === message) return;
  const error = { time: formatTimestamp(clock.nowMs()), message };
  const status = { ...current.status, readyToUse: false, error };
  try {
    await client.update(volumeSnapshotContents, { ...current, status }, { subresource: "status", signal });
  } catch (failed) {
    // The next attempt reports its own error.
    if (isApiError(failed, "Conflict", "NotFound")) return;
    throw failed;
  }
  recordEvent({ about: referenceTo(volumeSnapshotContents, content), type: "Warning", reason, message });
}

/** Returns the content of the Secret for taking the snapshot. */
async function secretsOf(
  context: StorageContext,
  { metadata }: VolumeSnapshotContent,
  signal: AbortSignal,
): Promise<Texts> {
  const { [deletionSecretName]: name = "", [deletionSecretNamespace]: namespace = "" } = metadata.annotations ?? {};
  return name === "" ? {} : readSecret(context, { name, namespace }, signal);
}

import {
  type CSINode,
  csiNodes,
  isApiError,
  nodes,
  parseKey,
  parseTimestamp,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  volumeAttachments,
} from "@kintsugi/api";
import { done, on, reading, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import { type CreateVolumeRequest, isFinal } from "@kintsugi/csi";
import { isRpcError } from "@kintsugi/grpc";
import { provisionedByAnnotation, selectedNodeAnnotation } from "@kintsugi/rules";
import { defineStorageController, type StorageContext } from "../context.ts";
import { attacherFinalizer, provisionerFinalizer, withoutFinalizers } from "../finalizers.ts";
import { rpcText } from "../rpc-text.ts";
import { readSecret, secretOfClass, secretsFor } from "../secrets.ts";
import {
  isToProvision,
  planPersistentVolume,
  planRequest,
  type ProvisioningInputs,
  type ProvisioningTask,
  volumeNameOf,
} from "./plan-volume.ts";
import { attributesClassOf, SourceNotReady, contentSourceOf } from "./volume-sources.ts";

/**
 * A claim whose source is not ready is inspected again after as long as it has waited. A snapshot
 * of the lab is ready within a second, and a missing snapshot costs a read in 10 s.
 */
const sourcePollMs = { min: 1_000, max: 10_000 };

const indexedAttachments = reading(volumeAttachments, {
  volume: ({ spec }) => [spec.source.persistentVolumeName ?? ""],
});

/**
 * Creates volumes for claims of the driver's classes, and deletes them when their claims no longer
 * exist.
 */
export const provisioner = defineStorageController({
  name: "provisioner",
  options: {},
  roles: [],
  events: "kintsugi-csi-provisioner",
  reads: [persistentVolumeClaims, persistentVolumes, storageClasses, csiNodes, nodes, indexedAttachments],
  create(context) {
    const unsure: UnsureTasks = new Map();
    return {
      // Upstream's default of --worker-threads is 100, but the lab's cloud changes one disk at a
      // time.
      workers: 10,
      keys: persistentVolumeClaims,
      watches: [on(persistentVolumeClaims)],
      reconcile: (key, signal) => reconcileClaim({ ...context, unsure }, key, signal),
      also: {
        queue: "volumes",
        workers: 10,
        keys: persistentVolumes,
        watches: [
          on(persistentVolumes),
          on(volumeAttachments, ({ object }) =>
            [object.spec.source.persistentVolumeName ?? ""].filter((name) => name !== ""),
          ),
        ],
        reconcile: (key, signal) => reconcileVolume(context, key, signal),
      },
    };
  },
});

function sourcePollAfter({ metadata }: PersistentVolumeClaim, nowMs: number): number {
  const createdMs = parseTimestamp(metadata.creationTimestamp ?? "") ?? nowMs;
  return Math.min(sourcePollMs.max, Math.max(sourcePollMs.min, nowMs - createdMs));
}

/**
 * Claims, by key, for which the driver may have created a disk without a PersistentVolume. Like
 * upstream's provisioner, a restarted provisioner has lost them.
 */
type UnsureTasks = Map<string, UnsureTask>;

interface UnsureTask extends ProvisioningTask {
  /** The request that the driver may have performed; absent before the first request. */
  request?: CreateVolumeRequest;
}

type ProvisioningContext = StorageContext & { readonly unsure: UnsureTasks };

async function reconcileClaim(
  context: ProvisioningContext,
  key: string,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { informers, driverName, unsure } = context;
  const claim = informers.of(persistentVolumeClaims).find(parseKey(key));
  const earlier = unsure.get(key);
  const isWanted =
    claim?.metadata.uid === earlier?.claim.metadata.uid && claim?.metadata.deletionTimestamp === undefined;
  if (earlier !== undefined && !isWanted) {
    await discard(context, earlier, signal);
    unsure.delete(key);
  }
  if (claim === undefined) return done;
  const storageClass = informers.of(storageClasses).find({ namespace: "", name: claim.spec?.storageClassName ?? "" });
  if (!isToProvision(claim, storageClass, driverName)) return done;
  if (informers.of(persistentVolumes).find({ namespace: "", name: volumeNameOf(claim) }) !== undefined) return done;
  const task: UnsureTask = { claim, storageClass, ...(earlier?.request && { request: earlier.request }) };
  unsure.set(key, task);
  try {
    await provision(context, task, signal);
    unsure.delete(key);
    return done;
  } catch (error) {
    if (isFinal(error)) unsure.delete(key);
    await reportFailure(context, { claim, storageClass }, { error, signal });
    if (error instanceof SourceNotReady) return { retryAfterMs: sourcePollAfter(claim, context.clock.nowMs()) };
    throw error;
  }
}

/**
 * Deletes the disk that was created for a claim that no longer exists. The disk is found by its
 * name.
 */
async function discard(context: StorageContext, task: UnsureTask, signal: AbortSignal): Promise<void> {
  const { informers, driver } = context;
  const name = volumeNameOf(task.claim);
  if (informers.of(persistentVolumes).find({ namespace: "", name }) !== undefined) return;
  // The request is repeated unchanged, because the objects from which it was made may no longer
  // exist.
  const { request } = task;
  if (request === undefined) return;
  try {
    const { volume } = await driver.createVolume(request, signal);
    if (volume === undefined) return;
    await driver.deleteVolume({ volumeId: volume.volumeId, secrets: request.secrets ?? {} }, signal);
  } catch (error) {
    if (!isFinal(error)) throw error;
  }
}

async function requestFor(
  context: StorageContext,
  task: ProvisioningTask,
  { inputs, signal }: { inputs: ProvisioningInputs; signal: AbortSignal },
): Promise<CreateVolumeRequest> {
  const { informers, driverName } = context;
  const findNode = (nodeName: string) => informers.of(nodes).find({ namespace: "", name: nodeName });
  const driverNodes = { driverName, csiNodes: informers.of(csiNodes).list() as readonly CSINode[], findNode };
  const request = planRequest(task, driverNodes, inputs);
  const place = secretOfClass(task.storageClass, "provisioner", { claim: task.claim, volumeName: request.name });
  return { ...request, secrets: place === undefined ? {} : await readSecret(context, place, signal) };
}

async function provision(context: StorageContext, task: UnsureTask, signal: AbortSignal): Promise<void> {
  const { client, driver, driverName, recordEvent } = context;
  const { namespace, name } = task.claim.metadata;
  const about = referenceTo(persistentVolumeClaims, task.claim);
  const starting = `External provisioner is provisioning volume for claim "${namespace}/${name}"`;
  recordEvent({ about, type: "Normal", reason: "Provisioning", message: starting });
  const attributesClass = await attributesClassOf(context, task.claim, signal);
  const inputs = { source: await contentSourceOf(context, task.claim, signal), attributesClass };
  const request = await requestFor(context, task, { inputs, signal });
  task.request = request;
  const { volume } = await driver.createVolume(request, signal);
  if (volume === undefined) throw new Error("the driver answered without a volume");
  await client
    .create(persistentVolumes, planPersistentVolume(task, driverName, { volume, attributesClass }), { signal })
    .catch((error: unknown) => {
      // The answer of the previous attempt was lost.
      if (!isApiError(error, "AlreadyExists")) throw error;
    });
  const message = `Successfully provisioned volume ${request.name}`;
  recordEvent({ about, type: "Normal", reason: "ProvisioningSucceeded", message });
}

/** A node in whose zone the driver has no capacity is returned to the scheduler. */
async function reportFailure(
  { client, recordEvent }: StorageContext,
  { claim, storageClass }: ProvisioningTask,
  { error, signal }: { error: unknown; signal: AbortSignal },
): Promise<void> {
  const about = referenceTo(persistentVolumeClaims, claim);
  const fault = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${rpcText(error)}`;
  recordEvent({ about, type: "Warning", reason: "ProvisioningFailed", message: fault });
  const { [selectedNodeAnnotation]: selected, ...annotations } = claim.metadata.annotations ?? {};
  if (selected === undefined || !isRpcError(error, "RESOURCE_EXHAUSTED")) return;
  await client.update(persistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, annotations } }, { signal });
}

async function reconcileVolume(context: StorageContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const { informers, client, driver, driverName, recordEvent } = context;
  const volume = informers.of(persistentVolumes).find(parseKey(key));
  if (volume?.spec?.csi?.driver !== driverName) return done;
  // A volume is detached by its handle, which is in its PersistentVolume alone.
  if (informers.of(volumeAttachments).byIndex("volume", volume.metadata.name ?? "").length > 0) return done;
  if (!isToDelete(volume, driverName)) return release(context, volume, signal);
  try {
    const secrets = await secretsFor(context, { volume, call: "delete" }, signal);
    await driver.deleteVolume({ volumeId: volume.spec.csi.volumeHandle, secrets }, signal);
  } catch (error) {
    const about = referenceTo(persistentVolumes, volume);
    recordEvent({ about, type: "Warning", reason: "VolumeFailedDelete", message: rpcText(error) });
    throw error;
  }
  const { name = "", uid } = volume.metadata;
  if (volume.metadata.deletionTimestamp === undefined)
    await client
      .delete(persistentVolumes, { namespace: "", name }, { signal, preconditions: uid === undefined ? {} : { uid } })
      .catch(ignoreGone);
  const current = await client.find(persistentVolumes, { namespace: "", name }, { signal });
  if (current === undefined || current.metadata.uid !== uid) return done;
  const rest = withoutFinalizers(current, provisionerFinalizer, attacherFinalizer(driverName));
  if (rest !== undefined) await client.update(persistentVolumes, rest, { signal }).catch(ignoreGone);
  return done;
}

/**
 * Reports whether the driver created the volume, its claim no longer exists, and its policy does
 * not retain it.
 */
function isToDelete({ metadata, spec, status }: PersistentVolume, driverName: string): boolean {
  return (
    status?.phase === "Released" &&
    spec?.persistentVolumeReclaimPolicy === "Delete" &&
    metadata.annotations?.[provisionedByAnnotation] === driverName
  );
}

/**
 * A volume that is retained, or was not created by the provisioner, does not have the provisioner's
 * finalizers.
 */
async function release(
  context: StorageContext,
  volume: PersistentVolume,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { client, driverName } = context;
  if (volume.metadata.deletionTimestamp === undefined) return done;
  const isKept = volume.spec?.persistentVolumeReclaimPolicy !== "Delete" || volume.status?.phase !== "Bound";
  const gone = [attacherFinalizer(driverName), ...(isKept ? [provisionerFinalizer] : [])];
  const rest = withoutFinalizers(volume, ...gone);
  if (rest !== undefined) await client.update(persistentVolumes, rest, { signal }).catch(ignoreGone);
  return done;
}

function ignoreGone(error: unknown): void {
  if (!isApiError(error, "NotFound")) throw error;
}

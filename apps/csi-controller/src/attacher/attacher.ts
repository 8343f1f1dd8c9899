import {
  csiNodes,
  formatTimestamp,
  isApiError,
  parseKey,
  type PersistentVolume,
  persistentVolumes,
  type VolumeAttachment,
  volumeAttachments,
} from "@kintsugi/api";
import { done, on, reading, type ReconcileResult } from "@kintsugi/controller";
import { capabilitiesOf } from "../capabilities.ts";
import { defineStorageController, type StorageContext } from "../context.ts";
import { attacherFinalizer, withFinalizer, withoutFinalizers } from "../finalizers.ts";
import { rpcText } from "../rpc-text.ts";
import { secretsFor } from "../secrets.ts";

/**
 * The driver's name for the node at the attachment, for a detachment after the node no longer
 * exists.
 */
const nodeIdAnnotation = "csi.alpha.kubernetes.io/node-id";

const indexedAttachments = reading(volumeAttachments, { node: ({ spec }) => [spec.nodeName] });

// The steps of an attachment:
//
//   created ─► finalizers on volume and attachment ─► ControllerPublishVolume ─► attached: true
//   deleted ─► ControllerUnpublishVolume ─► attached: false, finalizer removed ─► removed

/** Attaches and detaches the driver's volumes as VolumeAttachments request. */
export const attacher = defineStorageController({
  name: "attacher",
  options: {},
  roles: [],
  reads: [indexedAttachments, persistentVolumes, csiNodes],
  create(context) {
    const { informers } = context;
    return {
      // Upstream's default of --worker-threads.
      workers: 10,
      keys: volumeAttachments,
      watches: [
        on(volumeAttachments),
        // Volumes can now be attached to a node on which the driver registers.
        on(csiNodes, ({ object }) =>
          informers
            .of(volumeAttachments)
            .byIndex("node", object.metadata.name ?? "")
            .filter(({ status }) => status?.attached !== true)
            .map(({ metadata }) => metadata.name ?? ""),
        ),
      ],
      reconcile: (key, signal) => reconcile(context, key, signal),
    };
  },
});

async function reconcile(context: StorageContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const { informers, driverName } = context;
  const attachment = informers.of(volumeAttachments).find(parseKey(key));
  if (attachment?.spec.attacher !== driverName) return done;
  const isGoing = attachment.metadata.deletionTimestamp !== undefined;
  if (!isGoing && attachment.status?.attached === true) return done;
  if (isGoing && !(attachment.metadata.finalizers ?? []).includes(attacherFinalizer(driverName))) return done;
  try {
    await (isGoing ? detach : attach)(context, attachment, signal);
    return done;
  } catch (error) {
    if (isApiError(error, "NotFound")) return done;
    if (isApiError(error, "Conflict")) return { retryAfterMs: 50 };
    await reportError(context, attachment, { error, part: isGoing ? "detachError" : "attachError", signal });
    throw error;
  }
}

async function attach(context: StorageContext, attachment: VolumeAttachment, signal: AbortSignal): Promise<void> {
  const { client, driver, driverName } = context;
  const volume = volumeOf(context, attachment);
  const nodeId = nodeIdOf(context, attachment);
  if (volume.metadata.deletionTimestamp !== undefined)
    throw new Error(`PersistentVolume "${volume.metadata.name}" is marked for deletion`);
  const held = withFinalizer(volume, attacherFinalizer(driverName));
  if (held !== undefined) await client.update(persistentVolumes, held, { signal });
  const annotations = { ...attachment.metadata.annotations, [nodeIdAnnotation]: nodeId };
  const named = { ...attachment, metadata: { ...attachment.metadata, annotations } };
  const marked = withFinalizer(named, attacherFinalizer(driverName));
  const stored = marked === undefined ? attachment : await client.update(volumeAttachments, marked, { signal });
  const secrets = await secretsFor(context, { volume, call: "controllerPublish" }, signal);
  const request = { ...publishRequest(volume, nodeId), secrets };
  const { publishContext } = await driver.controllerPublishVolume(request, signal);
  const status = { attached: true, attachmentMetadata: { ...publishContext } };
  await client.update(volumeAttachments, { ...stored, status }, { subresource: "status", signal });
}

async function detach(context: StorageContext, attachment: VolumeAttachment, signal: AbortSignal): Promise<void> {
  const { client, driver, driverName } = context;
  const volume = volumeOf(context, attachment);
  const volumeId = volume.spec?.csi?.volumeHandle ?? "";
  const secrets = await secretsFor(context, { volume, call: "controllerPublish" }, signal);
  await driver.controllerUnpublishVolume({ volumeId, nodeId: nodeIdOf(context, attachment), secrets }, signal);
  const status = { attached: false };
  const stored = await client.update(volumeAttachments, { ...attachment, status }, { subresource: "status", signal });
  const rest = withoutFinalizers(stored, attacherFinalizer(driverName));
  if (rest !== undefined) await client.update(volumeAttachments, rest, { signal });
}

function publishRequest({ spec }: PersistentVolume, nodeId: string) {
  const { csi, accessModes, volumeMode } = spec ?? {};
  const [volumeCapability] = capabilitiesOf({ accessModes, volumeMode, fsType: csi?.fsType ?? "" });
  return {
    volumeId: csi?.volumeHandle ?? "",
    nodeId,
    volumeCapability,
    readonly: csi?.readOnly ?? false,
    volumeContext: csi?.volumeAttributes ?? {},
  };
}

/** @throws Error where the attachment does not name a PersistentVolume of the driver. */
function volumeOf({ informers, driverName }: StorageContext, { spec }: VolumeAttachment): PersistentVolume {
  const name = spec.source.persistentVolumeName ?? "";
  const volume = informers.of(persistentVolumes).find({ namespace: "", name });
  if (volume === undefined) throw new Error(`persistentvolume "${name}" not found`);
  if (volume.spec?.csi?.driver !== driverName)
    throw new Error(`PersistentVolume "${name}" does not belong to ${driverName}`);
  return volume;
}

/** @throws Error in upstream's words while the driver is not registered on the node. */
function nodeIdOf({ informers, driverName }: StorageContext, { spec, metadata }: VolumeAttachment): string {
  const recorded = metadata.annotations?.[nodeIdAnnotation];
  if (recorded !== undefined) return recorded;
  const csiNode = informers.of(csiNodes).find({ namespace: "", name: spec.nodeName });
  const nodeId = csiNode?.spec.drivers.find(({ name }) => name === driverName)?.nodeID;
  if (nodeId === undefined) throw new Error(`CSINode ${spec.nodeName} does not contain driver ${driverName}`);
  return nodeId;
}

interface Failure {
  readonly error: unknown;
  readonly part: "attachError" | "detachError";
  readonly signal: AbortSignal;
}

async function reportError(
  { client, clock }: StorageContext,
  { metadata }: VolumeAttachment,
  { error, part, signal }: Failure,
): Promise<void> {
  const message = rpcText(error);
  const key = { namespace: "", name: metadata.name ?? "" };
  const current = await client.find(volumeAttachments, key, { signal });
  if (current === undefined || current.status?.[part]?.message === message) return;
  const status = { attached: false, ...current.status, [part]: { time: formatTimestamp(clock.nowMs()), message } };
  try {
    await client.update(volumeAttachments, { ...current, status }, { subresource: "status", signal });
  } catch (failed) {
    // The next attempt reports its own error.
    if (!isApiError(failed, "Conflict", "NotFound")) throw failed;
  }
}

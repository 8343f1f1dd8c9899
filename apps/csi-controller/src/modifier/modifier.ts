import {
  formatKey,
  isApiError,
  keyOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  sameJson,
  type VolumeAttributesClass,
  volumeAttributesClasses,
} from "@kintsugi/api";
import { done, on, reading, type ReconcileResult, referenceTo, settled } from "@kintsugi/controller";
import { isRpcError } from "@kintsugi/grpc";
import { modificationWanted, withModification, withModified } from "@kintsugi/rules";
import { claimedVolume } from "../claimed-volume.ts";
import { defineStorageController, type StorageContext } from "../context.ts";
import { rpcText } from "../rpc-text.ts";

/**
 * Upstream's --retry-interval-max, because a rejected class may be created again under its name.
 */
const infeasibleRetryMs = 300_000;

const indexedClaims = reading(persistentVolumeClaims, {
  attributesClass: ({ spec }) => [spec?.volumeAttributesClassName ?? ""],
  volume: ({ spec }) => [spec?.volumeName ?? ""],
});

/** Changes the driver's volumes for claims that name another VolumeAttributesClass. */
export const modifier = defineStorageController({
  name: "modifier",
  options: {},
  roles: [],
  events: "kintsugi-csi-resizer",
  reads: [indexedClaims, persistentVolumes, volumeAttributesClasses],
  create(context) {
    const { informers } = context;
    const claimsBy = (index: string, value: string) =>
      informers
        .of(persistentVolumeClaims)
        .byIndex(index, value)
        .map((claim) => formatKey(keyOf(claim)));
    return {
      // Upstream's default of --workers.
      workers: 10,
      keys: persistentVolumeClaims,
      watches: [
        on(persistentVolumeClaims),
        on(persistentVolumes, ({ object }) => claimsBy("volume", object.metadata.name ?? "")),
        // Claims wait for a class that does not exist yet.
        on(volumeAttributesClasses, ({ object }) => claimsBy("attributesClass", object.metadata.name ?? "")),
      ],
      reconcile: (key, signal) => reconcile(context, key, signal),
    };
  },
});

async function reconcile(context: StorageContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const found = claimedVolume(context, key);
  if (found === undefined) return done;
  const { claim, volume } = found;
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid || claim.metadata.deletionTimestamp !== undefined) return done;
  const className = modificationWanted(claim, volume);
  if (className === undefined) return done;
  return settled(modify(context, { claim, volume, className }, signal));
}

interface Modifying {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
  readonly className: string;
}

async function modify(context: StorageContext, modifying: Modifying, signal: AbortSignal): Promise<ReconcileResult> {
  const { informers, client, clock, driver, driverName, recordEvent } = context;
  const { claim, volume, className } = modifying;
  const about = referenceTo(persistentVolumeClaims, claim);
  const attributes = informers.of(volumeAttributesClasses).find({ namespace: "", name: className });
  const step = { className, nowMs: clock.nowMs() };
  if (attributes === undefined) {
    await putStatus(context, { claim, status: withModification(claim, { ...step, state: "Pending" }) }, signal);
    return done;
  }
  const before = claim.status?.modifyVolumeStatus;
  const isRepeated = before?.status !== "Pending" && before?.targetVolumeAttributesClassName === className;
  const marked = isRepeated
    ? claim
    : await putStatus(context, { claim, status: withModification(claim, { ...step, state: "InProgress" }) }, signal);
  if (!isRepeated) {
    const message = `external resizer is modifying volume ${claim.metadata.name} with vac ${className}`;
    recordEvent({ about, type: "Normal", reason: "VolumeModify", message });
  }
  try {
    if (attributes.driverName !== driverName) throw new OtherDriver(attributes, driverName);
    const volumeId = volume.spec?.csi?.volumeHandle ?? "";
    const mutableParameters = { ...attributes.parameters };
    await driver.controllerModifyVolume({ volumeId, mutableParameters }, signal);
  } catch (error) {
    if (isApiError(error) || signal.aborted) throw error;
    return report(context, { claim: marked, className, error }, signal);
  }
  // The volume's class is checked first, which detects an interrupted change.
  const modified = { ...volume, spec: { ...volume.spec, volumeAttributesClassName: className } };
  if (volume.spec?.volumeAttributesClassName !== className)
    await client.update(persistentVolumes, modified, { signal });
  await putStatus(context, { claim: marked, status: withModified(marked, className) }, signal);
  const message = `external resizer modified volume ${claim.metadata.name} with vac ${className} successfully`;
  recordEvent({ about, type: "Normal", reason: "VolumeModifySuccessful", message });
  return done;
}

/** The class belongs to another driver, whose parameters this driver must not get. */
class OtherDriver extends Error {
  override readonly name = "OtherDriver";

  constructor({ metadata, driverName }: VolumeAttributesClass, own: string) {
    super(`VolumeAttributesClass ${metadata.name} belongs to the driver ${driverName}, and the volume to ${own}`);
  }
}

interface Failure {
  readonly claim: PersistentVolumeClaim;
  readonly className: string;
  readonly error: unknown;
}

/** A rejection is stored as Infeasible and rarely retried; any other error may be temporary. */
async function report(context: StorageContext, failure: Failure, signal: AbortSignal): Promise<ReconcileResult> {
  const { clock, recordEvent } = context;
  const { claim, className, error } = failure;
  const isRefused = isRpcError(error, "INVALID_ARGUMENT") || error instanceof OtherDriver;
  const fault = rpcText(error);
  const state = isRefused ? "Infeasible" : "InProgress";
  const status = withModification(claim, { state, className, nowMs: clock.nowMs(), fault });
  if (!sameJson(claim.status, status)) {
    await putStatus(context, { claim, status }, signal);
    const about = referenceTo(persistentVolumeClaims, claim);
    recordEvent({ about, type: "Warning", reason: "VolumeModifyFailed", message: fault });
  }
  if (isRefused) return { retryAfterMs: infeasibleRetryMs };
  throw error;
}

async function putStatus(
  { client }: StorageContext,
  { claim, status }: { claim: PersistentVolumeClaim; status: PersistentVolumeClaim["status"] },
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  if (sameJson(claim.status, status)) return claim;
  return client.update(persistentVolumeClaims, { ...claim, status }, { subresource: "status", signal });
}

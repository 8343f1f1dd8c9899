import {
  bytesQuantity,
  isApiError,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "@kintsugi/api";
import { done, on, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import { isRpcError } from "@kintsugi/grpc";
import { type GrowthStep, withGrowth, withGrownSize } from "@kintsugi/rules";
import { claimedVolume } from "../claimed-volume.ts";
import { defineStorageController, type StorageContext } from "../context.ts";
import { rpcText } from "../rpc-text.ts";
import { secretsFor } from "../secrets.ts";
import { planResize } from "./plan-resize.ts";

/** The words of upstream's condition FileSystemResizePending and its event. */
const pendingMessage = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";

/** The driver will reject the same size again (external-resizer, IsInfeasibleError). */
const infeasible = ["INVALID_ARGUMENT", "OUT_OF_RANGE", "NOT_FOUND"] as const;

/**
 * Grows the driver's disks for claims that request more storage, like upstream's external-resizer.
 */
export const resizer = defineStorageController({
  name: "resizer",
  options: {},
  roles: [],
  events: "kintsugi-csi-resizer",
  reads: [persistentVolumeClaims, persistentVolumes],
  create(context) {
    return {
      // Upstream's default of --workers.
      workers: 10,
      keys: persistentVolumeClaims,
      watches: [on(persistentVolumeClaims)],
      reconcile: (key, signal) => reconcile(context, key, signal),
    };
  },
});

async function reconcile(context: StorageContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const found = claimedVolume(context, key);
  if (found === undefined) return done;
  const { claim, volume } = found;
  const plan = planResize(claim, volume);
  if (plan === undefined) return done;
  try {
    if (plan.kind === "grown") await handToNode(context, { claim, size: plan.size }, signal);
    else await expand(context, { claim, volume, plan }, signal);
    return done;
  } catch (error) {
    if (isApiError(error, "NotFound")) return done;
    if (isApiError(error, "Conflict")) return { retryAfterMs: 50 };
    throw error;
  }
}

interface Growing {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
  readonly plan: Extract<ReturnType<typeof planResize>, { kind: "expand" }>;
}

async function expand(context: StorageContext, { claim, volume, plan }: Growing, signal: AbortSignal): Promise<void> {
  const { client, clock, driver, recordEvent } = context;
  const about = referenceTo(persistentVolumeClaims, claim);
  const { size, request } = plan;
  const step: GrowthStep = { state: "ControllerResizeInProgress", size, nowMs: clock.nowMs() };
  const marked = await putStatus(context, { claim, status: withGrowth(claim, step) }, signal);
  const message = `External resizer is resizing volume ${volume.metadata.name}`;
  recordEvent({ about, type: "Normal", reason: "Resizing", message });
  try {
    const secrets = await secretsFor(context, { volume, call: "controllerExpand" }, signal);
    const { capacityBytes, nodeExpansionRequired } = await driver.controllerExpandVolume(
      { ...request, secrets },
      signal,
    );
    const grown = bytesQuantity(Math.max(capacityBytes, request.capacityRange?.requiredBytes ?? 0));
    // The volume's size is checked first, which detects a lost answer.
    await client.update(persistentVolumes, withSize(volume, grown), { signal });
    if (nodeExpansionRequired) await handToNode(context, { claim: marked, size: grown }, signal);
    else await finish(context, { claim: marked, size: grown }, signal);
  } catch (error) {
    if (isApiError(error)) throw error;
    const fault = `resize volume ${JSON.stringify(volume.metadata.name)} by resizer failed: ${rpcText(error)}`;
    recordEvent({ about, type: "Warning", reason: "VolumeResizeFailed", message: fault });
    if (!isRpcError(error, ...infeasible)) throw error;
    const never: GrowthStep = { state: "ControllerResizeInfeasible", size, nowMs: clock.nowMs(), message: fault };
    await putStatus(context, { claim: marked, status: withGrowth(marked, never) }, signal);
  }
}

interface Grown {
  readonly claim: PersistentVolumeClaim;
  readonly size: string;
}

/** The file system grows when a kubelet reads the claim. */
async function handToNode(context: StorageContext, { claim, size }: Grown, signal: AbortSignal): Promise<void> {
  // A raw device has no file system.
  if (claim.spec?.volumeMode === "Block") return finish(context, { claim, size }, signal);
  const { clock, recordEvent } = context;
  const step: GrowthStep = { state: "NodeResizePending", size, nowMs: clock.nowMs(), message: pendingMessage };
  await putStatus(context, { claim, status: withGrowth(claim, step) }, signal);
  const about = referenceTo(persistentVolumeClaims, claim);
  const message = "Require file system resize of volume on node";
  recordEvent({ about, type: "Normal", reason: "FileSystemResizeRequired", message });
}

async function finish(context: StorageContext, { claim, size }: Grown, signal: AbortSignal): Promise<void> {
  await putStatus(context, { claim, status: withGrownSize(claim, size) }, signal);
  const about = referenceTo(persistentVolumeClaims, claim);
  context.recordEvent({ about, type: "Normal", reason: "VolumeResizeSuccessful", message: "Resize volume succeeded" });
}

function putStatus(
  { client }: StorageContext,
  { claim, status }: { claim: PersistentVolumeClaim; status: PersistentVolumeClaim["status"] },
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  return client.update(persistentVolumeClaims, { ...claim, status }, { subresource: "status", signal });
}

function withSize(volume: PersistentVolume, storage: string): PersistentVolume {
  const { spec } = volume;
  return { ...volume, spec: { ...spec, capacity: { ...spec?.capacity, storage } } };
}

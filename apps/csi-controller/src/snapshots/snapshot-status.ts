import { formatTimestamp, isApiError, sameJson, type VolumeSnapshot, volumeSnapshots } from "@kintsugi/api";
import { referenceTo } from "@kintsugi/controller";
import type { StorageContext } from "../context.ts";
import type { SnapshotFault } from "./plan-snapshot.ts";

/** Writes the status where it differs, and records the events of its first reports. */
export async function putStatus(
  { client, recordEvent }: StorageContext,
  { snapshot, status }: { snapshot: VolumeSnapshot; status: NonNullable<VolumeSnapshot["status"]> },
  signal: AbortSignal,
): Promise<void> {
  const before = snapshot.status;
  if (before !== undefined && sameJson(before, status)) return;
  await client.update(volumeSnapshots, { ...snapshot, status }, { subresource: "status", signal });
  const about = referenceTo(volumeSnapshots, snapshot);
  const name = `${snapshot.metadata.namespace}/${snapshot.metadata.name}`;
  if (before?.creationTime === undefined && status.creationTime !== undefined) {
    const message = `Snapshot ${name} was successfully created by the CSI driver.`;
    recordEvent({ about, type: "Normal", reason: "SnapshotCreated", message });
  }
  if (before?.readyToUse !== true && status.readyToUse === true)
    recordEvent({ about, type: "Normal", reason: "SnapshotReady", message: `Snapshot ${name} is ready to use.` });
}

/** Writes the fault into the status, with an event, unless the status already has the fault. */
export async function putFault(
  context: StorageContext,
  { snapshot, fault }: { snapshot: VolumeSnapshot; fault: SnapshotFault },
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, recordEvent } = context;
  const { reason, message } = fault;
  const { metadata, status } = snapshot;
  if (status?.error?.message === message && status.readyToUse === false) return;
  const error = { time: formatTimestamp(clock.nowMs()), message };
  const next = { ...snapshot, status: { ...status, readyToUse: false, error } };
  try {
    await client.update(volumeSnapshots, next, { subresource: "status", signal });
  } catch (failed) {
    // The next attempt finds this fault again, or another fault.
    if (isApiError(failed, "Conflict", "NotFound")) return;
    throw failed;
  }
  context.log.debug("a snapshot cannot be taken", { snapshot: metadata.name, reason });
  recordEvent({ about: referenceTo(volumeSnapshots, snapshot), type: "Warning", reason, message });
}

import type { VolumeSnapshot } from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { newestEvent } from "../words/newest-event.ts";
import { aboutObject, singleLine } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";
import type { World } from "../world.ts";

/** Describes the state of a snapshot in a few words. */
export function snapshotState({ metadata, status }: VolumeSnapshot): string {
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  if (status?.readyToUse === true) return "ready to use";
  return status?.boundVolumeSnapshotContentName === undefined ? "not bound" : "not ready";
}

/** Explains why a snapshot is not ready: its own error, or the wait for its driver. */
export function snapshotReasons(snapshot: VolumeSnapshot, world: World): ExplainedReason[] {
  const { metadata, spec, status } = snapshot;
  if (metadata.deletionTimestamp !== undefined || status?.readyToUse === true) return [];
  const about = aboutObject("VolumeSnapshot", snapshot);
  const { persistentVolumeClaimName: claim, volumeSnapshotContentName: content } = spec.source;
  const of = claim === undefined ? `the content ${singleLine(content)}` : `the claim ${singleLine(claim)}`;
  const error = status?.error?.message ?? newestEvent(world, about, { reasons: [...faultReasons] })?.message;
  const isBegun = status?.boundVolumeSnapshotContentName !== undefined;
  const waiting = isBegun ? "the storage driver has not finished it yet" : "no driver has started it yet";
  const remedy = isBegun
    ? { does: "See the driver's object for it", command: kubectlCommand("", "get", "volumesnapshotcontents") }
    : {
        does: "See the classes of snapshots and their drivers",
        command: kubectlCommand("", "get", "volumesnapshotclasses"),
      };
  return [
    {
      code: "SnapshotNotReady",
      about,
      because: `The snapshot ${about.name} of ${of} is not ready: ${error === undefined ? waiting : singleLine(error)}.`,
      ...sinceOf(metadata.creationTimestamp),
      awaits: isBegun ? "the storage driver, which is called repeatedly" : "the csi-controller of the claim's driver",
      next: "The snapshot is ready, and claims can be created from it.",
      remedies: [remedy],
    },
  ];
}

const faultReasons = [
  "SnapshotContentCreationFailed",
  "SnapshotContentMissing",
  "SnapshotContentMisbound",
  "SnapshotContentMismatch",
  "SetDefaultSnapshotClassFailed",
  "GetSnapshotClassFailed",
] as const;

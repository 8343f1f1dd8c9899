import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn, wide } from "../../../table/columns.ts";
import type { KindTable } from "../../../table/columns.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import { defineKind } from "../../define-kind.ts";
import type { PrepareUpdate } from "../../kind-strategy.ts";
import { setNetworkVolumeDefaults } from "../pod/defaults/volume-defaults.ts";
import { formatAccessModes } from "./access-modes.ts";
import { classOfVolume } from "./class-of-storage.ts";
import { persistentVolumes } from "./persistent-volume-type.ts";
import { validatePersistentVolume, validatePersistentVolumeUpdate } from "./persistent-volume-validation.ts";
import { PersistentVolume } from "./persistent-volume.ts";

const table: KindTable<PersistentVolume> = {
  columns: [
    nameColumn,
    column("Capacity", "Storage capacity of the volume."),
    column("Access Modes", "Access modes of the volume."),
    column("Reclaim Policy", "Handling of the volume after its claim is deleted: Retain, Delete or Recycle."),
    column("Status", "Pending, Available, Bound, Released, Failed or Terminating."),
    column("Claim", "PersistentVolumeClaim that the volume is bound to."),
    column("StorageClass", "StorageClass of the volume."),
    column("VolumeAttributesClass", "VolumeAttributesClass of the volume."),
    column("Reason", "Reason for a failure, one word."),
    ageColumn,
    wide(column("VolumeMode", "Mode of the volume: Filesystem or Block.")),
  ],
  cells: (volume, nowMs) => {
    const { metadata, spec, status } = volume;
    const claim = spec?.claimRef;
    return [
      metadata.name ?? "",
      spec?.capacity?.["storage"] ?? "0",
      formatAccessModes(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? "",
      metadata.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating",
      claim === undefined ? "" : `${claim.namespace ?? ""}/${claim.name ?? ""}`,
      classOfVolume(volume),
      spec?.volumeAttributesClassName ?? "<unset>",
      status?.reason ?? "",
      formatAge(volume, nowMs),
      spec?.volumeMode ?? "<unset>",
    ];
  },
};

export const persistentVolumeKind = defineKind<PersistentVolume>({
  type: persistentVolumes,
  schema: PersistentVolume,
  defaults: setPersistentVolumeDefaults,
  validation: { validate: validatePersistentVolume, update: validatePersistentVolumeUpdate },
  strategy: {
    status: true,
    returnsDeleted: true,
    prepareForCreate: (volume, { nowMs }) => {
      volume.status = { phase: "Pending", lastPhaseTransitionTime: formatTimestamp(nowMs) };
    },
    prepareForUpdate,
  },
  subresources: ["status"],
  table,
});

/** The server sets the time of a phase change unless the client has set it. */
function prepareForUpdate(after: PersistentVolume, before: PersistentVolume, update: PrepareUpdate): void {
  if (update.subresource !== "status" || after.status === undefined) return;
  const { phase, lastPhaseTransitionTime: previous } = before.status ?? {};
  const { lastPhaseTransitionTime: named } = after.status;
  if (after.status.phase === phase) {
    if (named === undefined && previous !== undefined) after.status.lastPhaseTransitionTime = previous;
  } else if (named === undefined || named === previous) {
    after.status.lastPhaseTransitionTime = formatTimestamp(update.nowMs);
  }
}

function setPersistentVolumeDefaults({ spec, ...volume }: PersistentVolume): void {
  if (volume.status !== undefined) volume.status.phase ||= "Pending";
  if (spec === undefined) return;
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  if (spec.hostPath !== undefined) spec.hostPath.type ??= "";
  setNetworkVolumeDefaults(spec);
}

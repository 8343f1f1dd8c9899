import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn, wide } from "../../../table/columns.ts";
import type { KindTable } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { formatAccessModes } from "../persistent-volume/access-modes.ts";
import { classOfClaim } from "../persistent-volume/class-of-storage.ts";
import type { PersistentVolumeClaimSpec } from "../pod/volumes/volume-claim.ts";
import { validateClaim, validateClaimStatus, validateClaimUpdate } from "./claim-validation.ts";
import { persistentVolumeClaims } from "./persistent-volume-claim-type.ts";
import { PersistentVolumeClaim } from "./persistent-volume-claim.ts";

const table: KindTable<PersistentVolumeClaim> = {
  columns: [
    nameColumn,
    column("Status", "Pending, Bound, Lost, or Terminating during deletion."),
    column("Volume", "PersistentVolume that the claim is bound to."),
    column("Capacity", "Storage capacity of the bound volume."),
    column("Access Modes", "Access modes of the bound volume."),
    column("StorageClass", "StorageClass that the claim requests."),
    column("VolumeAttributesClass", "VolumeAttributesClass that the claim requests."),
    ageColumn,
    wide(column("VolumeMode", "Mode of the volume: Filesystem or Block.")),
  ],
  cells: (claim, nowMs) => {
    const { metadata, spec, status } = claim;
    const volume = spec?.volumeName ?? "";
    return [
      metadata.name ?? "",
      metadata.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating",
      volume,
      volume === "" ? "" : (status?.capacity?.["storage"] ?? "0"),
      volume === "" ? "" : formatAccessModes(status?.accessModes),
      classOfClaim(claim),
      spec?.volumeAttributesClassName ?? "<unset>",
      formatAge(claim, nowMs),
      spec?.volumeMode ?? "<unset>",
    ];
  },
};

export const persistentVolumeClaimKind = defineKind<PersistentVolumeClaim>({
  type: persistentVolumeClaims,
  schema: PersistentVolumeClaim,
  defaults: setPersistentVolumeClaimDefaults,
  validation: { validate: validateClaim, update: validateClaimUpdate, status: validateClaimStatus },
  strategy: {
    status: true,
    returnsDeleted: true,
    prepareForCreate: (claim) => {
      claim.status = { phase: "Pending" };
      dropUnsupportedSources(claim.spec, undefined);
      mirrorSources(claim.spec);
    },
    prepareForUpdate: (claim, before, { subresource }) => {
      if (subresource === "") dropUnsupportedSources(claim.spec, before.spec);
    },
  },
  subresources: ["status"],
  table,
});

/** Applies to the claim templates of StatefulSets too, as in upstream. */
export function setPersistentVolumeClaimDefaults(claim: PersistentVolumeClaim): void {
  claim.status ??= {};
  claim.status.phase ||= "Pending";
  if (claim.spec !== undefined) claim.spec.volumeMode ??= "Filesystem";
}

/**
 * An object of another namespace is not a valid source, and the older field accepts only claims and
 * snapshots.
 */
function dropUnsupportedSources(
  spec: PersistentVolumeClaimSpec | undefined,
  before: PersistentVolumeClaimSpec | undefined,
): void {
  if (spec === undefined) return;
  if ((spec.dataSourceRef?.namespace ?? "") !== "" && before?.dataSourceRef === undefined) delete spec.dataSourceRef;
  if (before?.dataSource !== undefined || before?.dataSourceRef !== undefined || spec.dataSourceRef !== undefined) {
    return;
  }
  const { apiGroup = "", kind } = spec.dataSource ?? {};
  const isClaim = apiGroup === "" && kind === "PersistentVolumeClaim";
  const isSnapshot = apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot";
  if (!isClaim && !isSnapshot) delete spec.dataSource;
}

/** A new claim has its data source in both fields, for clients that support only one of them. */
function mirrorSources(spec: PersistentVolumeClaimSpec | undefined): void {
  if (spec === undefined) return;
  if (spec.dataSource !== undefined) spec.dataSourceRef ??= { ...spec.dataSource };
  else if (spec.dataSourceRef !== undefined) {
    const { namespace = "", ...source } = spec.dataSourceRef;
    if (namespace === "") spec.dataSource = source;
  }
}

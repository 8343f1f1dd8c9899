import type { Volume } from "../volumes/volume.ts";
import type { VolumeProjection } from "../volumes/volume-files.ts";
import type { PersistentVolumeSpec } from "../../persistent-volume/persistent-volume.ts";
import { pullPolicyFor, setFieldReferenceDefaults } from "./container-defaults.ts";

type NetworkSources = Pick<PersistentVolumeSpec | Volume, "iscsi" | "rbd" | "azureDisk" | "scaleIO">;

/** rw-r--r-- */
const fileMode = 0o644;

/** Sets upstream's defaults; changes the volume in place. */
export function setVolumeDefaults(volume: Volume): void {
  if (Object.values(volume).filter((member) => member !== undefined).length <= 1) volume.emptyDir = {};
  if (volume.secret !== undefined) volume.secret.defaultMode ??= fileMode;
  if (volume.configMap !== undefined) volume.configMap.defaultMode ??= fileMode;
  if (volume.downwardAPI !== undefined) {
    volume.downwardAPI.defaultMode ??= fileMode;
    for (const item of volume.downwardAPI.items ?? []) setFieldReferenceDefaults(item.fieldRef);
  }
  if (volume.projected !== undefined) {
    volume.projected.defaultMode ??= fileMode;
    volume.projected.sources?.forEach(setProjectionDefaults);
  }
  if (volume.hostPath !== undefined) volume.hostPath.type ??= "";
  if (volume.image !== undefined) volume.image.pullPolicy ||= pullPolicyFor(volume.image.reference ?? "");
  if (volume.ephemeral?.volumeClaimTemplate !== undefined) {
    volume.ephemeral.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
  }
  setNetworkVolumeDefaults(volume);
}

function setProjectionDefaults(projection: VolumeProjection): void {
  if (projection.serviceAccountToken !== undefined) projection.serviceAccountToken.expirationSeconds ??= 3600;
  for (const item of projection.downwardAPI?.items ?? []) setFieldReferenceDefaults(item.fieldRef);
}

/** Applies to the sources of PersistentVolumes too, which share these fields. */
export function setNetworkVolumeDefaults({ iscsi, rbd, azureDisk, scaleIO }: NetworkSources): void {
  if (iscsi !== undefined) iscsi.iscsiInterface ||= "default";
  if (rbd !== undefined) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.kind ??= "Shared";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
  }
  if (scaleIO !== undefined) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
}

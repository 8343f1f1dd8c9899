import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { bool, int32, text, zeroCounts } from "../../../../schema/types.ts";
import { LocalObjectReference } from "../../references.ts";

export const AWSElasticBlockStoreVolumeSource = object(
  "io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource",
  "AWSElasticBlockStoreVolumeSource is a disk of AWS Elastic Block Store. Deprecated in favor of its CSI driver.",
  () => ({
    volumeID: required(1, text, "Volume ID of the disk."),
    fsType: field(2, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    partition: field(3, int32, "Number of the partition to mount. 0 or an unset value means the whole disk."),
    readOnly: field(4, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type AWSElasticBlockStoreVolumeSource = z.infer<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = object(
  "io.k8s.api.core.v1.AzureDiskVolumeSource",
  "AzureDiskVolumeSource is an Azure Data Disk. Deprecated in favor of its CSI driver.",
  () => ({
    diskName: required(1, text, "Name of the disk in the blob storage."),
    diskURI: required(2, text, "URI of the disk."),
    cachingMode: field(3, text, "Caching mode of the host: None, ReadOnly or ReadWrite."),
    fsType: field(4, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    readOnly: field(5, zeroCounts(bool), "Mounts the volume read-only if true. Defaults to false."),
    kind: field(6, text, "Kind of the disk: Shared, Dedicated or Managed. Defaults to Shared."),
  }),
);
export type AzureDiskVolumeSource = z.infer<typeof AzureDiskVolumeSource>;

export const AzureFileVolumeSource = object(
  "io.k8s.api.core.v1.AzureFileVolumeSource",
  "AzureFileVolumeSource is an Azure File share. Deprecated in favor of its CSI driver.",
  () => ({
    secretName: required(1, text, "Name of the Secret with the account name and key."),
    shareName: required(2, text, "Name of the share."),
    readOnly: field(3, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type AzureFileVolumeSource = z.infer<typeof AzureFileVolumeSource>;

export const CinderVolumeSource = object(
  "io.k8s.api.core.v1.CinderVolumeSource",
  "CinderVolumeSource is an OpenStack Cinder volume. Deprecated in favor of its CSI driver.",
  () => ({
    volumeID: required(1, text, "ID of the volume in Cinder."),
    fsType: field(2, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    readOnly: field(3, bool, "Mounts the volume read-only if true. Defaults to false."),
    secretRef: field(4, LocalObjectReference, "Secret with the parameters of the connection to OpenStack."),
  }),
);
export type CinderVolumeSource = z.infer<typeof CinderVolumeSource>;

export const GCEPersistentDiskVolumeSource = object(
  "io.k8s.api.core.v1.GCEPersistentDiskVolumeSource",
  "GCEPersistentDiskVolumeSource is a persistent disk of Google Compute Engine. Deprecated in favor of its CSI driver.",
  () => ({
    pdName: required(1, text, "Name of the disk in GCE."),
    fsType: field(2, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    partition: field(3, int32, "Number of the partition to mount. 0 or an unset value means the whole disk."),
    readOnly: field(4, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type GCEPersistentDiskVolumeSource = z.infer<typeof GCEPersistentDiskVolumeSource>;

export const PhotonPersistentDiskVolumeSource = object(
  "io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource",
  "PhotonPersistentDiskVolumeSource is a disk of Photon Controller. No longer supported.",
  () => ({
    pdID: required(1, text, "ID of the disk."),
    fsType: field(2, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
  }),
);
export type PhotonPersistentDiskVolumeSource = z.infer<typeof PhotonPersistentDiskVolumeSource>;

export const VsphereVirtualDiskVolumeSource = object(
  "io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource",
  "VsphereVirtualDiskVolumeSource is a vSphere virtual disk. Deprecated in favor of its CSI driver.",
  () => ({
    volumePath: required(1, text, "Path of the disk in vSphere."),
    fsType: field(2, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    storagePolicyName: field(3, text, "Name of the disk's storage policy."),
    storagePolicyID: field(4, text, "ID of the disk's storage policy."),
  }),
);
export type VsphereVirtualDiskVolumeSource = z.infer<typeof VsphereVirtualDiskVolumeSource>;

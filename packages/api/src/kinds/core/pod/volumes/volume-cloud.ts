import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { bool, int32, text, zeroCounts } from "../../../../schema/types.ts";
import { LocalObjectReference } from "../../references.ts";

export const AWSElasticBlockStoreVolumeSource = object(
  "io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource",
  "The source is a disk of AWS Elastic Block Store; it is deprecated in favour of its CSI driver.",
  () => ({
    volumeID: required(1, text, "The disk has this volume ID."),
    fsType: field(
      2,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    partition: field(
      3,
      int32,
      "The volume is mounted from this partition number; 0 or an unset value means the whole disk.",
    ),
    readOnly: field(4, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type AWSElasticBlockStoreVolumeSource = z.infer<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = object(
  "io.k8s.api.core.v1.AzureDiskVolumeSource",
  "The source is an Azure Data Disk; it is deprecated in favour of its CSI driver.",
  () => ({
    diskName: required(1, text, "The disk has this name in the blob storage."),
    diskURI: required(2, text, "The disk is found at this URI."),
    cachingMode: field(3, text, "The host caches the disk in the mode None, ReadOnly or ReadWrite."),
    fsType: field(
      4,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    readOnly: field(5, zeroCounts(bool), "The volume is mounted read-only when this is true; the default is false."),
    kind: field(6, text, "The disk is Shared, Dedicated or Managed; the default is Shared."),
  }),
);
export type AzureDiskVolumeSource = z.infer<typeof AzureDiskVolumeSource>;

export const AzureFileVolumeSource = object(
  "io.k8s.api.core.v1.AzureFileVolumeSource",
  "The source is an Azure File share; it is deprecated in favour of its CSI driver.",
  () => ({
    secretName: required(1, text, "The Secret with this name holds the account name and key."),
    shareName: required(2, text, "The share has this name."),
    readOnly: field(3, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type AzureFileVolumeSource = z.infer<typeof AzureFileVolumeSource>;

export const CinderVolumeSource = object(
  "io.k8s.api.core.v1.CinderVolumeSource",
  "The source is an OpenStack Cinder volume; it is deprecated in favour of its CSI driver.",
  () => ({
    volumeID: required(1, text, "The volume has this ID in Cinder."),
    fsType: field(
      2,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    readOnly: field(3, bool, "The volume is mounted read-only when this is true; the default is false."),
    secretRef: field(4, LocalObjectReference, "The Secret holds the parameters of the connection to OpenStack."),
  }),
);
export type CinderVolumeSource = z.infer<typeof CinderVolumeSource>;

export const GCEPersistentDiskVolumeSource = object(
  "io.k8s.api.core.v1.GCEPersistentDiskVolumeSource",
  "The source is a persistent disk of Google Compute Engine; it is deprecated in favour of its CSI driver.",
  () => ({
    pdName: required(1, text, "The disk has this name in GCE."),
    fsType: field(
      2,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    partition: field(
      3,
      int32,
      "The volume is mounted from this partition number; 0 or an unset value means the whole disk.",
    ),
    readOnly: field(4, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type GCEPersistentDiskVolumeSource = z.infer<typeof GCEPersistentDiskVolumeSource>;

export const PhotonPersistentDiskVolumeSource = object(
  "io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource",
  "The source is a disk of Photon Controller, which is no longer supported.",
  () => ({
    pdID: required(1, text, "The disk has this ID."),
    fsType: field(
      2,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
  }),
);
export type PhotonPersistentDiskVolumeSource = z.infer<typeof PhotonPersistentDiskVolumeSource>;

export const VsphereVirtualDiskVolumeSource = object(
  "io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource",
  "The source is a vSphere virtual disk; it is deprecated in favour of its CSI driver.",
  () => ({
    volumePath: required(1, text, "The disk is found at this path in vSphere."),
    fsType: field(
      2,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    storagePolicyName: field(3, text, "The disk uses the storage policy with this name."),
    storagePolicyID: field(4, text, "The disk uses the storage policy with this ID."),
  }),
);
export type VsphereVirtualDiskVolumeSource = z.infer<typeof VsphereVirtualDiskVolumeSource>;

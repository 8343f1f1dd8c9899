import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { bool, int32, text } from "../../../../schema/types.ts";
import { LocalObjectReference } from "../../references.ts";

export const AWSElasticBlockStoreVolumeSource = object(
  "io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource",
  "A disk in AWS.",
  () => ({
    volumeID: required(1, text),
    fsType: field(2, text),
    partition: field(3, int32),
    readOnly: field(4, bool),
  }),
);
export type AWSElasticBlockStoreVolumeSource = z.infer<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = object("io.k8s.api.core.v1.AzureDiskVolumeSource", "A disk in Azure.", () => ({
  diskName: required(1, text),
  diskURI: required(2, text),
  cachingMode: field(3, text),
  fsType: field(4, text),
  readOnly: field(5, bool),
  kind: field(6, text),
}));
export type AzureDiskVolumeSource = z.infer<typeof AzureDiskVolumeSource>;

export const AzureFileVolumeSource = object("io.k8s.api.core.v1.AzureFileVolumeSource", "A share in Azure.", () => ({
  secretName: required(1, text),
  shareName: required(2, text),
  readOnly: field(3, bool),
}));
export type AzureFileVolumeSource = z.infer<typeof AzureFileVolumeSource>;

export const CinderVolumeSource = object("io.k8s.api.core.v1.CinderVolumeSource", "A disk in OpenStack.", () => ({
  volumeID: required(1, text),
  fsType: field(2, text),
  readOnly: field(3, bool),
  secretRef: field(4, LocalObjectReference),
}));
export type CinderVolumeSource = z.infer<typeof CinderVolumeSource>;

export const GCEPersistentDiskVolumeSource = object(
  "io.k8s.api.core.v1.GCEPersistentDiskVolumeSource",
  "A disk in Google Cloud.",
  () => ({
    pdName: required(1, text),
    fsType: field(2, text),
    partition: field(3, int32),
    readOnly: field(4, bool),
  }),
);
export type GCEPersistentDiskVolumeSource = z.infer<typeof GCEPersistentDiskVolumeSource>;

export const PhotonPersistentDiskVolumeSource = object(
  "io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource",
  "A disk in Photon.",
  () => ({
    pdID: required(1, text),
    fsType: field(2, text),
  }),
);
export type PhotonPersistentDiskVolumeSource = z.infer<typeof PhotonPersistentDiskVolumeSource>;

export const VsphereVirtualDiskVolumeSource = object(
  "io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource",
  "A disk in vSphere.",
  () => ({
    volumePath: required(1, text),
    fsType: field(2, text),
    storagePolicyName: field(3, text),
    storagePolicyID: field(4, text),
  }),
);
export type VsphereVirtualDiskVolumeSource = z.infer<typeof VsphereVirtualDiskVolumeSource>;

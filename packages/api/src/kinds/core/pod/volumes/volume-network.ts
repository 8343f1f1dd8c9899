import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int32, map, text } from "../../../../schema/types.ts";
import { LocalObjectReference } from "../../references.ts";

export const NFSVolumeSource = object("io.k8s.api.core.v1.NFSVolumeSource", "A folder of an NFS server.", () => ({
  server: required(1, text),
  path: required(2, text),
  readOnly: field(3, bool),
}));
export type NFSVolumeSource = z.infer<typeof NFSVolumeSource>;

export const ISCSIVolumeSource = object("io.k8s.api.core.v1.ISCSIVolumeSource", "A disk over iSCSI.", () => ({
  targetPortal: required(1, text),
  iqn: required(2, text),
  lun: required(3, int32),
  iscsiInterface: field(4, text),
  fsType: field(5, text),
  readOnly: field(6, bool),
  portals: field(7, atomicList(text)),
  chapAuthDiscovery: field(8, bool),
  secretRef: field(10, LocalObjectReference),
  chapAuthSession: field(11, bool),
  initiatorName: field(12, text),
}));
export type ISCSIVolumeSource = z.infer<typeof ISCSIVolumeSource>;

export const FCVolumeSource = object("io.k8s.api.core.v1.FCVolumeSource", "A disk over Fibre Channel.", () => ({
  targetWWNs: field(1, atomicList(text)),
  lun: field(2, int32),
  fsType: field(3, text),
  readOnly: field(4, bool),
  wwids: field(5, atomicList(text)),
}));
export type FCVolumeSource = z.infer<typeof FCVolumeSource>;

export const CephFSVolumeSource = object("io.k8s.api.core.v1.CephFSVolumeSource", "A folder in CephFS.", () => ({
  monitors: required(1, atomicList(text)),
  path: field(2, text),
  user: field(3, text),
  secretFile: field(4, text),
  secretRef: field(5, LocalObjectReference),
  readOnly: field(6, bool),
}));
export type CephFSVolumeSource = z.infer<typeof CephFSVolumeSource>;

export const RBDVolumeSource = object("io.k8s.api.core.v1.RBDVolumeSource", "A disk in Ceph.", () => ({
  monitors: required(1, atomicList(text)),
  image: required(2, text),
  fsType: field(3, text),
  pool: field(4, text),
  user: field(5, text),
  keyring: field(6, text),
  secretRef: field(7, LocalObjectReference),
  readOnly: field(8, bool),
}));
export type RBDVolumeSource = z.infer<typeof RBDVolumeSource>;

export const GlusterfsVolumeSource = object("io.k8s.api.core.v1.GlusterfsVolumeSource", "A volume in Gluster.", () => ({
  endpoints: required(1, text),
  path: required(2, text),
  readOnly: field(3, bool),
}));
export type GlusterfsVolumeSource = z.infer<typeof GlusterfsVolumeSource>;

export const FlexVolumeSource = object(
  "io.k8s.api.core.v1.FlexVolumeSource",
  "A volume from a program on the node.",
  () => ({
    driver: required(1, text),
    fsType: field(2, text),
    secretRef: field(3, LocalObjectReference),
    readOnly: field(4, bool),
    options: field(5, map(text)),
  }),
);
export type FlexVolumeSource = z.infer<typeof FlexVolumeSource>;

export const FlockerVolumeSource = object("io.k8s.api.core.v1.FlockerVolumeSource", "A volume in Flocker.", () => ({
  datasetName: field(1, text),
  datasetUUID: field(2, text),
}));
export type FlockerVolumeSource = z.infer<typeof FlockerVolumeSource>;

export const QuobyteVolumeSource = object("io.k8s.api.core.v1.QuobyteVolumeSource", "A volume in Quobyte.", () => ({
  registry: required(1, text),
  volume: required(2, text),
  readOnly: field(3, bool),
  user: field(4, text),
  group: field(5, text),
  tenant: field(6, text),
}));
export type QuobyteVolumeSource = z.infer<typeof QuobyteVolumeSource>;

export const StorageOSVolumeSource = object(
  "io.k8s.api.core.v1.StorageOSVolumeSource",
  "A volume in StorageOS.",
  () => ({
    volumeName: field(1, text),
    volumeNamespace: field(2, text),
    fsType: field(3, text),
    readOnly: field(4, bool),
    secretRef: field(5, LocalObjectReference),
  }),
);
export type StorageOSVolumeSource = z.infer<typeof StorageOSVolumeSource>;

export const ScaleIOVolumeSource = object("io.k8s.api.core.v1.ScaleIOVolumeSource", "A volume in ScaleIO.", () => ({
  gateway: required(1, text),
  system: required(2, text),
  secretRef: required(3, LocalObjectReference),
  sslEnabled: field(4, bool),
  protectionDomain: field(5, text),
  storagePool: field(6, text),
  storageMode: field(7, text),
  volumeName: field(8, text),
  fsType: field(9, text),
  readOnly: field(10, bool),
}));
export type ScaleIOVolumeSource = z.infer<typeof ScaleIOVolumeSource>;

export const PortworxVolumeSource = object("io.k8s.api.core.v1.PortworxVolumeSource", "A volume in Portworx.", () => ({
  volumeID: required(1, text),
  fsType: field(2, text),
  readOnly: field(3, bool),
}));
export type PortworxVolumeSource = z.infer<typeof PortworxVolumeSource>;

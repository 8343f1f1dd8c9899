import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int32, map, text } from "../../../../schema/types.ts";
import { LocalObjectReference } from "../../references.ts";

export const NFSVolumeSource = object(
  "io.k8s.api.core.v1.NFSVolumeSource",
  "NFSVolumeSource is a directory that an NFS server exports.",
  () => ({
    server: required(1, text, "Hostname or IP address of the NFS server."),
    path: required(2, text, "Path that the server exports."),
    readOnly: field(3, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type NFSVolumeSource = z.infer<typeof NFSVolumeSource>;

export const ISCSIVolumeSource = object(
  "io.k8s.api.core.v1.ISCSIVolumeSource",
  "ISCSIVolumeSource is a disk that is attached over iSCSI.",
  () => ({
    targetPortal: required(
      1,
      text,
      "Portal of the target: an IP address, followed by the port unless the port is 860 or 3260.",
    ),
    iqn: required(2, text, "Qualified name of the target."),
    lun: required(3, int32, "Logical unit number of the disk."),
    iscsiInterface: field(
      4,
      text,
      "Name of the iSCSI interface. Defaults to the interface named default, which uses TCP.",
    ),
    fsType: field(5, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    readOnly: field(6, bool, "Mounts the volume read-only if true. Defaults to false."),
    portals: field(7, atomicList(text), "Additional portals of the target."),
    chapAuthDiscovery: field(8, bool, "Authenticates discovery with CHAP if true."),
    secretRef: field(10, LocalObjectReference, "Secret with the CHAP credentials."),
    chapAuthSession: field(11, bool, "Authenticates sessions with CHAP if true."),
    initiatorName: field(12, text, "Qualified name of the initiator. Defaults to the initiator name of the node."),
  }),
);
export type ISCSIVolumeSource = z.infer<typeof ISCSIVolumeSource>;

export const FCVolumeSource = object(
  "io.k8s.api.core.v1.FCVolumeSource",
  "FCVolumeSource is a disk that is attached over Fibre Channel.",
  () => ({
    targetWWNs: field(1, atomicList(text), "World wide names of the target."),
    lun: field(2, int32, "Logical unit number of the disk."),
    fsType: field(3, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    readOnly: field(4, bool, "Mounts the volume read-only if true. Defaults to false."),
    wwids: field(
      5,
      atomicList(text),
      "World wide identifiers of the disk. Cannot be combined with targetWWNs and lun.",
    ),
  }),
);
export type FCVolumeSource = z.infer<typeof FCVolumeSource>;

export const CephFSVolumeSource = object(
  "io.k8s.api.core.v1.CephFSVolumeSource",
  "CephFSVolumeSource is a CephFS directory. No longer supported.",
  () => ({
    monitors: required(1, atomicList(text), "Addresses of the Ceph monitors."),
    path: field(2, text, "Path of the directory to mount. Defaults to /."),
    user: field(3, text, "Name of the Ceph user. Defaults to admin."),
    secretFile: field(4, text, "File with the key ring of the user. Defaults to /etc/ceph/user.secret."),
    secretRef: field(5, LocalObjectReference, "Secret with the credentials. Takes precedence over secretFile."),
    readOnly: field(6, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type CephFSVolumeSource = z.infer<typeof CephFSVolumeSource>;

export const RBDVolumeSource = object(
  "io.k8s.api.core.v1.RBDVolumeSource",
  "RBDVolumeSource is a RADOS block device of Ceph. No longer supported.",
  () => ({
    monitors: required(1, atomicList(text), "Addresses of the Ceph monitors."),
    image: required(2, text, "Name of the block device."),
    fsType: field(3, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    pool: field(4, text, "Pool of the block device. Defaults to rbd."),
    user: field(5, text, "Name of the Ceph user. Defaults to admin."),
    keyring: field(6, text, "File with the key ring of the user. Defaults to /etc/ceph/keyring."),
    secretRef: field(7, LocalObjectReference, "Secret with the credentials. Takes precedence over keyring."),
    readOnly: field(8, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type RBDVolumeSource = z.infer<typeof RBDVolumeSource>;

export const GlusterfsVolumeSource = object(
  "io.k8s.api.core.v1.GlusterfsVolumeSource",
  "GlusterfsVolumeSource is a Glusterfs volume. No longer supported.",
  () => ({
    endpoints: required(1, text, "Name of the Endpoints object with the Glusterfs servers."),
    path: required(2, text, "Path of the Glusterfs volume."),
    readOnly: field(3, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type GlusterfsVolumeSource = z.infer<typeof GlusterfsVolumeSource>;

export const FlexVolumeSource = object(
  "io.k8s.api.core.v1.FlexVolumeSource",
  "FlexVolumeSource is a volume that a program on the node provides. Deprecated in favor of CSI.",
  () => ({
    driver: required(1, text, "Name of the driver."),
    fsType: field(2, text, "Filesystem type of the volume. The default depends on the driver."),
    secretRef: field(3, LocalObjectReference, "Secret whose contents are passed to the driver."),
    readOnly: field(4, bool, "Mounts the volume read-only if true. Defaults to false."),
    options: field(5, map(text), "Additional options that are passed to the driver."),
  }),
);
export type FlexVolumeSource = z.infer<typeof FlexVolumeSource>;

export const FlockerVolumeSource = object(
  "io.k8s.api.core.v1.FlockerVolumeSource",
  "FlockerVolumeSource is a Flocker dataset. No longer supported.",
  () => ({
    datasetName: field(1, text, "Deprecated name of the dataset."),
    datasetUUID: field(2, text, "UUID of the dataset."),
  }),
);
export type FlockerVolumeSource = z.infer<typeof FlockerVolumeSource>;

export const QuobyteVolumeSource = object(
  "io.k8s.api.core.v1.QuobyteVolumeSource",
  "QuobyteVolumeSource is a Quobyte volume. No longer supported.",
  () => ({
    registry: required(1, text, "Addresses of the Quobyte registries, as host:port pairs separated by commas."),
    volume: required(2, text, "Name of the Quobyte volume."),
    readOnly: field(3, bool, "Mounts the volume read-only if true. Defaults to false."),
    user: field(4, text, "User for access to the volume. Defaults to the user of the service account."),
    group: field(5, text, "Group for access to the volume. Defaults to no group."),
    tenant: field(6, text, "Tenant that owns the volume."),
  }),
);
export type QuobyteVolumeSource = z.infer<typeof QuobyteVolumeSource>;

export const StorageOSVolumeSource = object(
  "io.k8s.api.core.v1.StorageOSVolumeSource",
  "StorageOSVolumeSource is a StorageOS volume. No longer supported.",
  () => ({
    volumeName: field(1, text, "Name of the volume, unique in its StorageOS namespace."),
    volumeNamespace: field(2, text, "StorageOS namespace of the volume. Defaults to the namespace of the pod."),
    fsType: field(3, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    readOnly: field(4, bool, "Mounts the volume read-only if true. Defaults to false."),
    secretRef: field(5, LocalObjectReference, "Secret with the StorageOS credentials."),
  }),
);
export type StorageOSVolumeSource = z.infer<typeof StorageOSVolumeSource>;

export const ScaleIOVolumeSource = object(
  "io.k8s.api.core.v1.ScaleIOVolumeSource",
  "ScaleIOVolumeSource is a ScaleIO volume. No longer supported.",
  () => ({
    gateway: required(1, text, "Address of the ScaleIO gateway."),
    system: required(2, text, "Name of the storage system in ScaleIO."),
    secretRef: required(3, LocalObjectReference, "Secret with the ScaleIO credentials."),
    sslEnabled: field(4, bool, "Enables TLS for connections to the gateway if true. Defaults to false."),
    protectionDomain: field(5, text, "Protection domain of the volume."),
    storagePool: field(6, text, "Storage pool of the volume."),
    storageMode: field(
      7,
      text,
      "Provisioning of the storage: ThickProvisioned or ThinProvisioned. Defaults to ThinProvisioned.",
    ),
    volumeName: field(8, text, "Name of the volume in ScaleIO."),
    fsType: field(9, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to xfs."),
    readOnly: field(10, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type ScaleIOVolumeSource = z.infer<typeof ScaleIOVolumeSource>;

export const PortworxVolumeSource = object(
  "io.k8s.api.core.v1.PortworxVolumeSource",
  "PortworxVolumeSource is a Portworx volume. Deprecated in favor of its CSI driver.",
  () => ({
    volumeID: required(1, text, "ID of the volume."),
    fsType: field(2, text, "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4."),
    readOnly: field(3, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type PortworxVolumeSource = z.infer<typeof PortworxVolumeSource>;

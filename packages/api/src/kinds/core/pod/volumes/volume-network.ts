import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int32, map, text } from "../../../../schema/types.ts";
import { LocalObjectReference } from "../../references.ts";

export const NFSVolumeSource = object(
  "io.k8s.api.core.v1.NFSVolumeSource",
  "The source is a directory that an NFS server exports.",
  () => ({
    server: required(1, text, "The NFS server has this hostname or IP address."),
    path: required(2, text, "The server exports this path."),
    readOnly: field(3, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type NFSVolumeSource = z.infer<typeof NFSVolumeSource>;

export const ISCSIVolumeSource = object(
  "io.k8s.api.core.v1.ISCSIVolumeSource",
  "The source is a disk that is attached over iSCSI.",
  () => ({
    targetPortal: required(
      1,
      text,
      "The target is reached at this portal, an IP address or an address and a port if that is not 860 or 3260.",
    ),
    iqn: required(2, text, "The target has this qualified name."),
    lun: required(3, int32, "The disk has this logical unit number."),
    iscsiInterface: field(4, text, "The initiator uses this interface; the default is default, which means tcp."),
    fsType: field(
      5,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    readOnly: field(6, bool, "The volume is mounted read-only when this is true; the default is false."),
    portals: field(7, atomicList(text), "The target is also reached at these portals."),
    chapAuthDiscovery: field(8, bool, "Discovery authenticates with CHAP when this is true."),
    secretRef: field(10, LocalObjectReference, "The Secret holds the CHAP credentials."),
    chapAuthSession: field(11, bool, "Sessions authenticate with CHAP when this is true."),
    initiatorName: field(12, text, "The initiator uses this qualified name instead of the node's own."),
  }),
);
export type ISCSIVolumeSource = z.infer<typeof ISCSIVolumeSource>;

export const FCVolumeSource = object(
  "io.k8s.api.core.v1.FCVolumeSource",
  "The source is a disk that is attached over Fibre Channel.",
  () => ({
    targetWWNs: field(1, atomicList(text), "The target has these world wide names."),
    lun: field(2, int32, "The disk has this logical unit number."),
    fsType: field(
      3,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    readOnly: field(4, bool, "The volume is mounted read-only when this is true; the default is false."),
    wwids: field(5, atomicList(text), "The disk has these world wide identifiers; they exclude targetWWNs with lun."),
  }),
);
export type FCVolumeSource = z.infer<typeof FCVolumeSource>;

export const CephFSVolumeSource = object(
  "io.k8s.api.core.v1.CephFSVolumeSource",
  "The source is a CephFS directory; it is no longer supported.",
  () => ({
    monitors: required(1, atomicList(text), "The Ceph monitors have these addresses."),
    path: field(2, text, "This path is mounted; the default is /."),
    user: field(3, text, "The client authenticates as this user; the default is admin."),
    secretFile: field(4, text, "The key ring of the user is in this file; the default is /etc/ceph/user.secret."),
    secretRef: field(5, LocalObjectReference, "The Secret holds the credentials and takes precedence over secretFile."),
    readOnly: field(6, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type CephFSVolumeSource = z.infer<typeof CephFSVolumeSource>;

export const RBDVolumeSource = object(
  "io.k8s.api.core.v1.RBDVolumeSource",
  "The source is a RADOS block device of Ceph; it is no longer supported.",
  () => ({
    monitors: required(1, atomicList(text), "The Ceph monitors have these addresses."),
    image: required(2, text, "The block device has this name."),
    fsType: field(
      3,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    pool: field(4, text, "The block device is in this pool; the default is rbd."),
    user: field(5, text, "The client authenticates as this user; the default is admin."),
    keyring: field(6, text, "The key ring of the user is in this file; the default is /etc/ceph/keyring."),
    secretRef: field(7, LocalObjectReference, "The Secret holds the credentials and takes precedence over keyring."),
    readOnly: field(8, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type RBDVolumeSource = z.infer<typeof RBDVolumeSource>;

export const GlusterfsVolumeSource = object(
  "io.k8s.api.core.v1.GlusterfsVolumeSource",
  "The source is a Glusterfs volume; it is no longer supported.",
  () => ({
    endpoints: required(1, text, "The Endpoints object with this name lists the Glusterfs servers."),
    path: required(2, text, "The Glusterfs volume has this path."),
    readOnly: field(3, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type GlusterfsVolumeSource = z.infer<typeof GlusterfsVolumeSource>;

export const FlexVolumeSource = object(
  "io.k8s.api.core.v1.FlexVolumeSource",
  "The source is a volume that a program on the node provides; it is deprecated in favour of CSI.",
  () => ({
    driver: required(1, text, "The driver has this name."),
    fsType: field(2, text, "The volume is mounted with this filesystem type; the default depends on the driver."),
    secretRef: field(3, LocalObjectReference, "The driver receives the contents of this Secret."),
    readOnly: field(4, bool, "The volume is mounted read-only when this is true; the default is false."),
    options: field(5, map(text), "The driver receives these further options."),
  }),
);
export type FlexVolumeSource = z.infer<typeof FlexVolumeSource>;

export const FlockerVolumeSource = object(
  "io.k8s.api.core.v1.FlockerVolumeSource",
  "The source is a Flocker dataset; it is no longer supported.",
  () => ({
    datasetName: field(1, text, "The dataset has this name; the field is deprecated."),
    datasetUUID: field(2, text, "The dataset has this UUID."),
  }),
);
export type FlockerVolumeSource = z.infer<typeof FlockerVolumeSource>;

export const QuobyteVolumeSource = object(
  "io.k8s.api.core.v1.QuobyteVolumeSource",
  "The source is a Quobyte volume; it is no longer supported.",
  () => ({
    registry: required(1, text, "The Quobyte registries have these addresses, as host:port pairs separated by commas."),
    volume: required(2, text, "The Quobyte volume has this name."),
    readOnly: field(3, bool, "The volume is mounted read-only when this is true; the default is false."),
    user: field(4, text, "The volume is accessed as this user; the default is the service account's user."),
    group: field(5, text, "The volume is accessed as this group; the default is no group."),
    tenant: field(6, text, "The volume belongs to this tenant."),
  }),
);
export type QuobyteVolumeSource = z.infer<typeof QuobyteVolumeSource>;

export const StorageOSVolumeSource = object(
  "io.k8s.api.core.v1.StorageOSVolumeSource",
  "The source is a StorageOS volume; it is no longer supported.",
  () => ({
    volumeName: field(1, text, "The volume has this name, which is unique in its StorageOS namespace."),
    volumeNamespace: field(
      2,
      text,
      "The volume is in this StorageOS namespace; the default is the namespace of the pod.",
    ),
    fsType: field(
      3,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    readOnly: field(4, bool, "The volume is mounted read-only when this is true; the default is false."),
    secretRef: field(5, LocalObjectReference, "The Secret holds the credentials for StorageOS."),
  }),
);
export type StorageOSVolumeSource = z.infer<typeof StorageOSVolumeSource>;

export const ScaleIOVolumeSource = object(
  "io.k8s.api.core.v1.ScaleIOVolumeSource",
  "The source is a ScaleIO volume; it is no longer supported.",
  () => ({
    gateway: required(1, text, "The ScaleIO gateway has this address."),
    system: required(2, text, "The storage system has this name in ScaleIO."),
    secretRef: required(3, LocalObjectReference, "The Secret holds the credentials for ScaleIO."),
    sslEnabled: field(4, bool, "The client connects to the gateway with TLS when this is true; the default is false."),
    protectionDomain: field(5, text, "The volume is in this protection domain."),
    storagePool: field(6, text, "The volume is in this storage pool."),
    storageMode: field(7, text, "The storage is ThickProvisioned or ThinProvisioned; the default is ThinProvisioned."),
    volumeName: field(8, text, "The volume has this name in ScaleIO."),
    fsType: field(9, text, "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is xfs."),
    readOnly: field(10, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type ScaleIOVolumeSource = z.infer<typeof ScaleIOVolumeSource>;

export const PortworxVolumeSource = object(
  "io.k8s.api.core.v1.PortworxVolumeSource",
  "The source is a Portworx volume; it is deprecated in favour of its CSI driver.",
  () => ({
    volumeID: required(1, text, "The volume has this ID."),
    fsType: field(
      2,
      text,
      "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.",
    ),
    readOnly: field(3, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type PortworxVolumeSource = z.infer<typeof PortworxVolumeSource>;

import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, map, text } from "../../../schema/types.ts";
import { ObjectReference, SecretReference } from "../references.ts";

// A PersistentVolume is cluster-scoped, so its sources name the namespaces of their Secrets.
// Sources without Secrets are the same as in pods.

const fsType = "Filesystem type of the volume, such as ext4 or xfs. Defaults to ext4.";
const readOnly = "Mounts the volume read-only if true. Defaults to false.";

export const LocalVolumeSource = object(
  "io.k8s.api.core.v1.LocalVolumeSource",
  "LocalVolumeSource is a directory or disk on one node. The volume's node affinity selects the node.",
  () => ({
    path: required(1, text, "Path of the directory or block device on the node."),
    fsType: field(2, text, "Filesystem type of a block device. Defaults to the type that is detected on the device."),
  }),
);

export const CSIPersistentVolumeSource = object(
  "io.k8s.api.core.v1.CSIPersistentVolumeSource",
  "CSIPersistentVolumeSource is a volume that a CSI driver provides.",
  () => ({
    driver: required(1, text, "Name of the CSI driver."),
    volumeHandle: required(2, text, "Unique name of the volume in the driver."),
    readOnly: field(3, bool, readOnly),
    fsType: field(4, text, "Filesystem type of the volume, such as ext4 or xfs."),
    volumeAttributes: field(5, map(text), "Properties that are passed to the driver."),
    controllerPublishSecretRef: field(
      6,
      SecretReference,
      "Secret that is passed to the driver to attach and detach the volume.",
    ),
    nodeStageSecretRef: field(
      7,
      SecretReference,
      "Secret that is passed to the driver to stage and unstage the volume.",
    ),
    nodePublishSecretRef: field(
      8,
      SecretReference,
      "Secret that is passed to the driver to publish and unpublish the volume.",
    ),
    controllerExpandSecretRef: field(
      9,
      SecretReference,
      "Secret that is passed to the driver to expand the volume in the storage system.",
    ),
    nodeExpandSecretRef: field(
      10,
      SecretReference,
      "Secret that is passed to the driver to expand the volume on a node.",
    ),
  }),
);
export type CSIPersistentVolumeSource = z.infer<typeof CSIPersistentVolumeSource>;

export const AzureFilePersistentVolumeSource = object(
  "io.k8s.api.core.v1.AzureFilePersistentVolumeSource",
  "AzureFilePersistentVolumeSource is an Azure File share. Deprecated in favor of its CSI driver.",
  () => ({
    secretName: required(1, text, "Name of the Secret with the account name and key."),
    shareName: required(2, text, "Name of the share."),
    readOnly: field(3, bool, readOnly),
    secretNamespace: field(4, text, "Namespace of the Secret. Defaults to the namespace of the pod."),
  }),
);

export const CephFSPersistentVolumeSource = object(
  "io.k8s.api.core.v1.CephFSPersistentVolumeSource",
  "CephFSPersistentVolumeSource is a CephFS directory. No longer supported.",
  () => ({
    monitors: required(1, atomicList(text), "Addresses of the Ceph monitors."),
    path: field(2, text, "Path of the directory to mount. Defaults to /."),
    user: field(3, text, "Name of the Ceph user. Defaults to admin."),
    secretFile: field(4, text, "File with the key ring of the user. Defaults to /etc/ceph/user.secret."),
    secretRef: field(5, SecretReference, "Secret with the credentials. Takes precedence over secretFile."),
    readOnly: field(6, bool, readOnly),
  }),
);

export const CinderPersistentVolumeSource = object(
  "io.k8s.api.core.v1.CinderPersistentVolumeSource",
  "CinderPersistentVolumeSource is an OpenStack Cinder volume. Deprecated in favor of its CSI driver.",
  () => ({
    volumeID: required(1, text, "ID of the volume in Cinder."),
    fsType: field(2, text, fsType),
    readOnly: field(3, bool, readOnly),
    secretRef: field(4, SecretReference, "Secret with the parameters of the connection to OpenStack."),
  }),
);

export const FlexPersistentVolumeSource = object(
  "io.k8s.api.core.v1.FlexPersistentVolumeSource",
  "FlexPersistentVolumeSource is a volume that a program on the node provides. Deprecated in favor of CSI.",
  () => ({
    driver: required(1, text, "Name of the driver."),
    fsType: field(2, text, "Filesystem type of the volume. The default depends on the driver."),
    secretRef: field(3, SecretReference, "Secret whose contents are passed to the driver."),
    readOnly: field(4, bool, readOnly),
    options: field(5, map(text), "Additional options that are passed to the driver."),
  }),
);

export const GlusterfsPersistentVolumeSource = object(
  "io.k8s.api.core.v1.GlusterfsPersistentVolumeSource",
  "GlusterfsPersistentVolumeSource is a Glusterfs volume. No longer supported.",
  () => ({
    endpoints: required(1, text, "Name of the Endpoints object with the Glusterfs servers."),
    path: required(2, text, "Path of the Glusterfs volume."),
    readOnly: field(3, bool, readOnly),
    endpointsNamespace: field(
      4,
      text,
      "Namespace of the Endpoints object. Defaults to the namespace of the bound claim.",
    ),
  }),
);
export type GlusterfsPersistentVolumeSource = z.infer<typeof GlusterfsPersistentVolumeSource>;

export const ISCSIPersistentVolumeSource = object(
  "io.k8s.api.core.v1.ISCSIPersistentVolumeSource",
  "ISCSIPersistentVolumeSource is a disk that is attached over iSCSI.",
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
    fsType: field(5, text, fsType),
    readOnly: field(6, bool, readOnly),
    portals: field(7, atomicList(text), "Additional portals of the target."),
    chapAuthDiscovery: field(8, bool, "Authenticates discovery with CHAP if true."),
    secretRef: field(10, SecretReference, "Secret with the CHAP credentials."),
    chapAuthSession: field(11, bool, "Authenticates sessions with CHAP if true."),
    initiatorName: field(12, text, "Qualified name of the initiator. Defaults to the initiator name of the node."),
  }),
);
export type ISCSIPersistentVolumeSource = z.infer<typeof ISCSIPersistentVolumeSource>;

export const RBDPersistentVolumeSource = object(
  "io.k8s.api.core.v1.RBDPersistentVolumeSource",
  "RBDPersistentVolumeSource is a RADOS block device of Ceph. No longer supported.",
  () => ({
    monitors: required(1, atomicList(text), "Addresses of the Ceph monitors."),
    image: required(2, text, "Name of the block device."),
    fsType: field(3, text, fsType),
    pool: field(4, text, "Pool of the block device. Defaults to rbd."),
    user: field(5, text, "Name of the Ceph user. Defaults to admin."),
    keyring: field(6, text, "File with the key ring of the user. Defaults to /etc/ceph/keyring."),
    secretRef: field(7, SecretReference, "Secret with the credentials. Takes precedence over keyring."),
    readOnly: field(8, bool, readOnly),
  }),
);

export const ScaleIOPersistentVolumeSource = object(
  "io.k8s.api.core.v1.ScaleIOPersistentVolumeSource",
  "ScaleIOPersistentVolumeSource is a ScaleIO volume. No longer supported.",
  () => ({
    gateway: required(1, text, "Address of the ScaleIO gateway."),
    system: required(2, text, "Name of the storage system in ScaleIO."),
    secretRef: required(3, SecretReference, "Secret with the ScaleIO credentials."),
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
    readOnly: field(10, bool, readOnly),
  }),
);

export const StorageOSPersistentVolumeSource = object(
  "io.k8s.api.core.v1.StorageOSPersistentVolumeSource",
  "StorageOSPersistentVolumeSource is a StorageOS volume. No longer supported.",
  () => ({
    volumeName: field(1, text, "Name of the volume, unique in its StorageOS namespace."),
    volumeNamespace: field(2, text, "StorageOS namespace of the volume. Defaults to the namespace of the pod."),
    fsType: field(3, text, fsType),
    readOnly: field(4, bool, readOnly),
    secretRef: field(5, ObjectReference, "Secret with the StorageOS credentials."),
  }),
);
export type StorageOSPersistentVolumeSource = z.infer<typeof StorageOSPersistentVolumeSource>;

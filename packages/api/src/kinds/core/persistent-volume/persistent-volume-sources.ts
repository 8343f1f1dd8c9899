import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, map, text } from "../../../schema/types.ts";
import { ObjectReference, SecretReference } from "../references.ts";

// A PersistentVolume is cluster-scoped, so its sources name the namespaces of their Secrets.
// Sources without Secrets are the same as in pods.

const fsType = "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is ext4.";
const readOnly = "The volume is mounted read-only when this is true; the default is false.";

export const LocalVolumeSource = object(
  "io.k8s.api.core.v1.LocalVolumeSource",
  "The source is a directory or disk of one node, which the volume's node affinity names.",
  () => ({
    path: required(1, text, "The directory or block device has this path on the node."),
    fsType: field(
      2,
      text,
      "A block device is mounted with this filesystem type; the default is chosen by its content.",
    ),
  }),
);

export const CSIPersistentVolumeSource = object(
  "io.k8s.api.core.v1.CSIPersistentVolumeSource",
  "The source is a volume that a CSI driver provides.",
  () => ({
    driver: required(1, text, "The volume is provided by the CSI driver with this name."),
    volumeHandle: required(2, text, "The driver knows the volume by this unique name."),
    readOnly: field(3, bool, readOnly),
    fsType: field(4, text, "The volume is mounted with this filesystem type, such as ext4 or xfs."),
    volumeAttributes: field(5, map(text), "The driver receives these properties."),
    controllerPublishSecretRef: field(
      6,
      SecretReference,
      "The driver receives this Secret to attach and detach the volume.",
    ),
    nodeStageSecretRef: field(7, SecretReference, "The driver receives this Secret to stage and unstage the volume."),
    nodePublishSecretRef: field(
      8,
      SecretReference,
      "The driver receives this Secret to publish and unpublish the volume.",
    ),
    controllerExpandSecretRef: field(
      9,
      SecretReference,
      "The driver receives this Secret to expand the volume in the storage system.",
    ),
    nodeExpandSecretRef: field(10, SecretReference, "The driver receives this Secret to expand the volume on a node."),
  }),
);
export type CSIPersistentVolumeSource = z.infer<typeof CSIPersistentVolumeSource>;

export const AzureFilePersistentVolumeSource = object(
  "io.k8s.api.core.v1.AzureFilePersistentVolumeSource",
  "The source is an Azure File share; it is deprecated in favour of its CSI driver.",
  () => ({
    secretName: required(1, text, "The Secret with this name holds the account name and key."),
    shareName: required(2, text, "The share has this name."),
    readOnly: field(3, bool, readOnly),
    secretNamespace: field(4, text, "The Secret is in this namespace; the default is the namespace of the pod."),
  }),
);

export const CephFSPersistentVolumeSource = object(
  "io.k8s.api.core.v1.CephFSPersistentVolumeSource",
  "The source is a CephFS directory; it is no longer supported.",
  () => ({
    monitors: required(1, atomicList(text), "The Ceph monitors have these addresses."),
    path: field(2, text, "This path is mounted; the default is /."),
    user: field(3, text, "The client authenticates as this user; the default is admin."),
    secretFile: field(4, text, "The key ring of the user is in this file; the default is /etc/ceph/user.secret."),
    secretRef: field(5, SecretReference, "The Secret holds the credentials and takes precedence over secretFile."),
    readOnly: field(6, bool, readOnly),
  }),
);

export const CinderPersistentVolumeSource = object(
  "io.k8s.api.core.v1.CinderPersistentVolumeSource",
  "The source is an OpenStack Cinder volume; it is deprecated in favour of its CSI driver.",
  () => ({
    volumeID: required(1, text, "The volume has this ID in Cinder."),
    fsType: field(2, text, fsType),
    readOnly: field(3, bool, readOnly),
    secretRef: field(4, SecretReference, "The Secret holds the parameters of the connection to OpenStack."),
  }),
);

export const FlexPersistentVolumeSource = object(
  "io.k8s.api.core.v1.FlexPersistentVolumeSource",
  "The source is a volume that a program on the node provides; it is deprecated in favour of CSI.",
  () => ({
    driver: required(1, text, "The driver has this name."),
    fsType: field(2, text, "The volume is mounted with this filesystem type; the default depends on the driver."),
    secretRef: field(3, SecretReference, "The driver receives the contents of this Secret."),
    readOnly: field(4, bool, readOnly),
    options: field(5, map(text), "The driver receives these further options."),
  }),
);

export const GlusterfsPersistentVolumeSource = object(
  "io.k8s.api.core.v1.GlusterfsPersistentVolumeSource",
  "The source is a Glusterfs volume; it is no longer supported.",
  () => ({
    endpoints: required(1, text, "The Endpoints object with this name lists the Glusterfs servers."),
    path: required(2, text, "The Glusterfs volume has this path."),
    readOnly: field(3, bool, readOnly),
    endpointsNamespace: field(
      4,
      text,
      "The Endpoints object is in this namespace; the default is the namespace of the bound claim.",
    ),
  }),
);
export type GlusterfsPersistentVolumeSource = z.infer<typeof GlusterfsPersistentVolumeSource>;

export const ISCSIPersistentVolumeSource = object(
  "io.k8s.api.core.v1.ISCSIPersistentVolumeSource",
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
    fsType: field(5, text, fsType),
    readOnly: field(6, bool, readOnly),
    portals: field(7, atomicList(text), "The target is also reached at these portals."),
    chapAuthDiscovery: field(8, bool, "Discovery authenticates with CHAP when this is true."),
    secretRef: field(10, SecretReference, "The Secret holds the CHAP credentials."),
    chapAuthSession: field(11, bool, "Sessions authenticate with CHAP when this is true."),
    initiatorName: field(12, text, "The initiator uses this qualified name instead of the node's own."),
  }),
);
export type ISCSIPersistentVolumeSource = z.infer<typeof ISCSIPersistentVolumeSource>;

export const RBDPersistentVolumeSource = object(
  "io.k8s.api.core.v1.RBDPersistentVolumeSource",
  "The source is a RADOS block device of Ceph; it is no longer supported.",
  () => ({
    monitors: required(1, atomicList(text), "The Ceph monitors have these addresses."),
    image: required(2, text, "The block device has this name."),
    fsType: field(3, text, fsType),
    pool: field(4, text, "The block device is in this pool; the default is rbd."),
    user: field(5, text, "The client authenticates as this user; the default is admin."),
    keyring: field(6, text, "The key ring of the user is in this file; the default is /etc/ceph/keyring."),
    secretRef: field(7, SecretReference, "The Secret holds the credentials and takes precedence over keyring."),
    readOnly: field(8, bool, readOnly),
  }),
);

export const ScaleIOPersistentVolumeSource = object(
  "io.k8s.api.core.v1.ScaleIOPersistentVolumeSource",
  "The source is a ScaleIO volume; it is no longer supported.",
  () => ({
    gateway: required(1, text, "The ScaleIO gateway has this address."),
    system: required(2, text, "The storage system has this name in ScaleIO."),
    secretRef: required(3, SecretReference, "The Secret holds the credentials for ScaleIO."),
    sslEnabled: field(4, bool, "The client connects to the gateway with TLS when this is true; the default is false."),
    protectionDomain: field(5, text, "The volume is in this protection domain."),
    storagePool: field(6, text, "The volume is in this storage pool."),
    storageMode: field(7, text, "The storage is ThickProvisioned or ThinProvisioned; the default is ThinProvisioned."),
    volumeName: field(8, text, "The volume has this name in ScaleIO."),
    fsType: field(9, text, "The volume is mounted with this filesystem type, such as ext4 or xfs; the default is xfs."),
    readOnly: field(10, bool, readOnly),
  }),
);

export const StorageOSPersistentVolumeSource = object(
  "io.k8s.api.core.v1.StorageOSPersistentVolumeSource",
  "The source is a StorageOS volume; it is no longer supported.",
  () => ({
    volumeName: field(1, text, "The volume has this name, which is unique in its StorageOS namespace."),
    volumeNamespace: field(
      2,
      text,
      "The volume is in this StorageOS namespace; the default is the namespace of the pod.",
    ),
    fsType: field(3, text, fsType),
    readOnly: field(4, bool, readOnly),
    secretRef: field(5, ObjectReference, "The Secret holds the credentials for StorageOS."),
  }),
);
export type StorageOSPersistentVolumeSource = z.infer<typeof StorageOSPersistentVolumeSource>;

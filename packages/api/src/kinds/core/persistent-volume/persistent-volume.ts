import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, embedded, field, kind, object } from "../../../schema/fields.ts";
import { atomicList, map, quantity, text, time } from "../../../schema/types.ts";
import { NodeSelector } from "../pod/spec/affinity.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "../pod/volumes/volume-cloud.ts";
import { HostPathVolumeSource } from "../pod/volumes/volume-local.ts";
import {
  FCVolumeSource,
  FlockerVolumeSource,
  NFSVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
} from "../pod/volumes/volume-network.ts";
import { ObjectReference } from "../references.ts";
import {
  AzureFilePersistentVolumeSource,
  CephFSPersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  FlexPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  RBDPersistentVolumeSource,
  ScaleIOPersistentVolumeSource,
  StorageOSPersistentVolumeSource,
} from "./persistent-volume-sources.ts";

export const VolumeNodeAffinity = object(
  "io.k8s.api.core.v1.VolumeNodeAffinity",
  "VolumeNodeAffinity limits the nodes from which a volume can be accessed.",
  () => ({
    required: field(1, NodeSelector, "Selector of the nodes from which the volume can be accessed."),
  }),
);
export type VolumeNodeAffinity = z.infer<typeof VolumeNodeAffinity>;

export const PersistentVolumeSpec = object(
  "io.k8s.api.core.v1.PersistentVolumeSpec",
  "Spec of a volume. Exactly one source must be set.",
  () => ({
    capacity: field(1, map(quantity), "Resources of the volume. The only resource is storage."),
    ...embedded(2, {
      gcePersistentDisk: field(1, GCEPersistentDiskVolumeSource, "Disk of Google Compute Engine."),
      awsElasticBlockStore: field(2, AWSElasticBlockStoreVolumeSource, "Disk of AWS Elastic Block Store."),
      hostPath: field(3, HostPathVolumeSource, "File or directory of the node that the pod runs on."),
      glusterfs: field(4, GlusterfsPersistentVolumeSource, "Glusterfs volume. No longer supported."),
      nfs: field(5, NFSVolumeSource, "Directory that an NFS server exports."),
      rbd: field(6, RBDPersistentVolumeSource, "RADOS block device of Ceph. No longer supported."),
      iscsi: field(7, ISCSIPersistentVolumeSource, "Disk that is attached over iSCSI."),
      cinder: field(8, CinderPersistentVolumeSource, "OpenStack Cinder volume. Deprecated."),
      cephfs: field(9, CephFSPersistentVolumeSource, "CephFS directory. No longer supported."),
      fc: field(10, FCVolumeSource, "Disk that is attached over Fibre Channel."),
      flocker: field(11, FlockerVolumeSource, "Flocker dataset. No longer supported."),
      flexVolume: field(
        12,
        FlexPersistentVolumeSource,
        "Volume that a program on the node provides. Deprecated in favor of CSI.",
      ),
      azureFile: field(13, AzureFilePersistentVolumeSource, "Azure File share. Deprecated."),
      vsphereVolume: field(14, VsphereVirtualDiskVolumeSource, "Virtual disk of vSphere."),
      quobyte: field(15, QuobyteVolumeSource, "Quobyte volume. No longer supported."),
      azureDisk: field(16, AzureDiskVolumeSource, "Azure Data Disk. Deprecated."),
      photonPersistentDisk: field(
        17,
        PhotonPersistentDiskVolumeSource,
        "Disk of Photon Controller. No longer supported.",
      ),
      portworxVolume: field(18, PortworxVolumeSource, "Portworx volume. Deprecated."),
      scaleIO: field(19, ScaleIOPersistentVolumeSource, "ScaleIO volume. No longer supported."),
      local: field(20, LocalVolumeSource, "Directory or disk of one node."),
      storageos: field(21, StorageOSPersistentVolumeSource, "StorageOS volume. No longer supported."),
      csi: field(22, CSIPersistentVolumeSource, "Volume that a CSI driver provides."),
    }),
    accessModes: field(3, atomicList(text), "Access modes that the volume supports, such as ReadWriteOnce."),
    claimRef: field(
      4,
      ObjectReference.meta({ ...ObjectReference.meta(), mapType: "granular" }),
      "PersistentVolumeClaim that the volume is bound to or reserved for.",
    ),
    persistentVolumeReclaimPolicy: field(
      5,
      text,
      "Handling of the volume after its claim is deleted: Retain keeps the volume, Delete removes the volume, and the deprecated Recycle erases the volume's contents. Defaults to Retain.",
    ),
    storageClassName: field(
      6,
      text,
      "Name of the volume's StorageClass. An empty value means that the volume has no class.",
    ),
    mountOptions: field(7, atomicList(text), "Mount options of the volume."),
    volumeMode: field(
      8,
      text,
      "Mode of the volume: Filesystem for a mounted filesystem, Block for a raw block device. Defaults to Filesystem.",
    ),
    nodeAffinity: field(9, VolumeNodeAffinity, "Nodes from which the volume can be accessed."),
    volumeAttributesClassName: field(10, text, "Name of the volume's VolumeAttributesClass."),
  }),
);
export type PersistentVolumeSpec = z.infer<typeof PersistentVolumeSpec>;

export const PersistentVolumeStatus = object(
  "io.k8s.api.core.v1.PersistentVolumeStatus",
  "Observed state of a volume.",
  () => ({
    phase: field(1, text, "Phase of the volume: Pending, Available, Bound, Released or Failed."),
    message: field(2, text, "Human-readable reason for the phase."),
    reason: field(3, text, "Reason for a failure, one word."),
    lastPhaseTransitionTime: field(4, time, "Time of the last change of the phase."),
  }),
);
export type PersistentVolumeStatus = z.infer<typeof PersistentVolumeStatus>;

export const PersistentVolume = kind(
  "io.k8s.api.core.v1.PersistentVolume",
  "A PersistentVolume is storage that a PersistentVolumeClaim can be bound to. The storage exists independently of pods.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: field(2, PersistentVolumeSpec, "Capacity, source and access modes of the volume."),
    status: field(3, PersistentVolumeStatus, "Observed state of the volume."),
  }),
);
export type PersistentVolume = z.infer<typeof PersistentVolume>;

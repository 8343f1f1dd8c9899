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
  "The affinity limits the nodes from which the volume can be accessed.",
  () => ({
    required: field(1, NodeSelector, "The volume can be accessed from the nodes that match this selector."),
  }),
);
export type VolumeNodeAffinity = z.infer<typeof VolumeNodeAffinity>;

export const PersistentVolumeSpec = object(
  "io.k8s.api.core.v1.PersistentVolumeSpec",
  "The spec describes a volume; exactly one source must be set.",
  () => ({
    capacity: field(1, map(quantity), "The volume has these resources, of which storage is the only one."),
    ...embedded(2, {
      gcePersistentDisk: field(1, GCEPersistentDiskVolumeSource, "The volume is a disk of Google Compute Engine."),
      awsElasticBlockStore: field(
        2,
        AWSElasticBlockStoreVolumeSource,
        "The volume is a disk of AWS Elastic Block Store.",
      ),
      hostPath: field(3, HostPathVolumeSource, "The volume is a file or directory of whichever node the pod runs on."),
      glusterfs: field(4, GlusterfsPersistentVolumeSource, "The volume is a Glusterfs volume."),
      nfs: field(5, NFSVolumeSource, "The volume is a directory that an NFS server exports."),
      rbd: field(6, RBDPersistentVolumeSource, "The volume is a RADOS block device of Ceph."),
      iscsi: field(7, ISCSIPersistentVolumeSource, "The volume is a disk that is attached over iSCSI."),
      cinder: field(8, CinderPersistentVolumeSource, "The volume is an OpenStack Cinder volume."),
      cephfs: field(9, CephFSPersistentVolumeSource, "The volume is a CephFS directory."),
      fc: field(10, FCVolumeSource, "The volume is a disk that is attached over Fibre Channel."),
      flocker: field(11, FlockerVolumeSource, "The volume is a Flocker dataset."),
      flexVolume: field(12, FlexPersistentVolumeSource, "The volume comes from a program on the node."),
      azureFile: field(13, AzureFilePersistentVolumeSource, "The volume is an Azure File share."),
      vsphereVolume: field(14, VsphereVirtualDiskVolumeSource, "The volume is a vSphere virtual disk."),
      quobyte: field(15, QuobyteVolumeSource, "The volume is a Quobyte volume."),
      azureDisk: field(16, AzureDiskVolumeSource, "The volume is an Azure Data Disk."),
      photonPersistentDisk: field(17, PhotonPersistentDiskVolumeSource, "The volume is a disk of Photon Controller."),
      portworxVolume: field(18, PortworxVolumeSource, "The volume is a Portworx volume."),
      scaleIO: field(19, ScaleIOPersistentVolumeSource, "The volume is a ScaleIO volume."),
      local: field(20, LocalVolumeSource, "The volume is a directory or disk of one node."),
      storageos: field(21, StorageOSPersistentVolumeSource, "The volume is a StorageOS volume."),
      csi: field(22, CSIPersistentVolumeSource, "The volume is one that a CSI driver provides."),
    }),
    accessModes: field(3, atomicList(text), "The volume supports these access modes, such as ReadWriteOnce."),
    claimRef: field(
      4,
      ObjectReference.meta({ ...ObjectReference.meta(), mapType: "granular" }),
      "The volume is bound, or reserved, to this PersistentVolumeClaim.",
    ),
    persistentVolumeReclaimPolicy: field(
      5,
      text,
      "A volume without its claim is kept by Retain, removed by Delete, or scrubbed by the deprecated Recycle; the default is Retain.",
    ),
    storageClassName: field(
      6,
      text,
      "The volume belongs to the StorageClass with this name; an empty value means none.",
    ),
    mountOptions: field(7, atomicList(text), "The volume is mounted with these options."),
    volumeMode: field(8, text, "Filesystem, the default, provides a mounted filesystem, and Block a raw device."),
    nodeAffinity: field(9, VolumeNodeAffinity, "The affinity limits the nodes from which the volume can be accessed."),
    volumeAttributesClassName: field(10, text, "The volume has the VolumeAttributesClass with this name."),
  }),
);
export type PersistentVolumeSpec = z.infer<typeof PersistentVolumeSpec>;

export const PersistentVolumeStatus = object(
  "io.k8s.api.core.v1.PersistentVolumeStatus",
  "The status reports the use of the volume.",
  () => ({
    phase: field(1, text, "The volume is Pending, Available, Bound, Released or Failed."),
    message: field(2, text, "The message explains to people why the volume is in this phase."),
    reason: field(3, text, "The reason is one word that describes a failure for machines."),
    lastPhaseTransitionTime: field(4, time, "The phase changed last at this time."),
  }),
);
export type PersistentVolumeStatus = z.infer<typeof PersistentVolumeStatus>;

export const PersistentVolume = kind(
  "io.k8s.api.core.v1.PersistentVolume",
  "A PersistentVolume is storage that outlives pods and that a PersistentVolumeClaim can be bound to.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    spec: field(2, PersistentVolumeSpec, "The spec describes the volume."),
    status: field(3, PersistentVolumeStatus, "The status reports the use of the volume."),
  }),
);
export type PersistentVolume = z.infer<typeof PersistentVolume>;

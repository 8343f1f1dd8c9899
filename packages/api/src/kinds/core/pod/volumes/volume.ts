import type { z } from "zod";
import { embedded, field, object, required } from "../../../../schema/fields.ts";
import { text } from "../../../../schema/types.ts";
import { CSIVolumeSource, EphemeralVolumeSource, PersistentVolumeClaimVolumeSource } from "./volume-claim.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CinderVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./volume-cloud.ts";
import {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
} from "./volume-files.ts";
import { EmptyDirVolumeSource, GitRepoVolumeSource, HostPathVolumeSource, ImageVolumeSource } from "./volume-local.ts";
import {
  CephFSVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
} from "./volume-network.ts";

export const Volume = object(
  "io.k8s.api.core.v1.Volume",
  "A Volume holds files that the containers of a pod can mount; exactly one source must be set.",
  () => ({
    name: required(
      1,
      text,
      "Containers mount the volume by this name, which must be a DNS label that is unique in the pod.",
    ),
    ...embedded(2, {
      hostPath: field(1, HostPathVolumeSource, "The volume is a file or directory of the node."),
      emptyDir: field(
        2,
        EmptyDirVolumeSource,
        "The volume is a directory that is empty at first and is deleted with the pod.",
      ),
      gcePersistentDisk: field(3, GCEPersistentDiskVolumeSource, "The volume is a disk of Google Compute Engine."),
      awsElasticBlockStore: field(
        4,
        AWSElasticBlockStoreVolumeSource,
        "The volume is a disk of AWS Elastic Block Store.",
      ),
      gitRepo: field(5, GitRepoVolumeSource, "The volume is a clone of a Git repository; it is no longer supported."),
      secret: field(6, SecretVolumeSource, "The volume presents the keys of a Secret as files."),
      nfs: field(7, NFSVolumeSource, "The volume is a directory that an NFS server exports."),
      iscsi: field(8, ISCSIVolumeSource, "The volume is a disk that is attached over iSCSI."),
      glusterfs: field(9, GlusterfsVolumeSource, "The volume is a Glusterfs volume."),
      persistentVolumeClaim: field(
        10,
        PersistentVolumeClaimVolumeSource,
        "The volume is bound to a PersistentVolumeClaim and outlives the pod.",
      ),
      rbd: field(11, RBDVolumeSource, "The volume is a RADOS block device of Ceph."),
      flexVolume: field(12, FlexVolumeSource, "The volume comes from a program on the node."),
      cinder: field(13, CinderVolumeSource, "The volume is an OpenStack Cinder volume."),
      cephfs: field(14, CephFSVolumeSource, "The volume is a CephFS directory."),
      flocker: field(15, FlockerVolumeSource, "The volume is a Flocker dataset."),
      downwardAPI: field(16, DownwardAPIVolumeSource, "The volume presents fields of the pod as files."),
      fc: field(17, FCVolumeSource, "The volume is a disk that is attached over Fibre Channel."),
      azureFile: field(18, AzureFileVolumeSource, "The volume is an Azure File share."),
      configMap: field(19, ConfigMapVolumeSource, "The volume presents the keys of a ConfigMap as files."),
      vsphereVolume: field(20, VsphereVirtualDiskVolumeSource, "The volume is a vSphere virtual disk."),
      quobyte: field(21, QuobyteVolumeSource, "The volume is a Quobyte volume."),
      azureDisk: field(22, AzureDiskVolumeSource, "The volume is an Azure Data Disk."),
      photonPersistentDisk: field(23, PhotonPersistentDiskVolumeSource, "The volume is a disk of Photon Controller."),
      portworxVolume: field(24, PortworxVolumeSource, "The volume is a Portworx volume."),
      scaleIO: field(25, ScaleIOVolumeSource, "The volume is a ScaleIO volume."),
      projected: field(26, ProjectedVolumeSource, "The volume combines the files of several sources."),
      storageos: field(27, StorageOSVolumeSource, "The volume is a StorageOS volume."),
      csi: field(28, CSIVolumeSource, "The volume is an ephemeral one that a CSI driver provides."),
      ephemeral: field(
        29,
        EphemeralVolumeSource,
        "The volume comes from a claim that is created for the pod and deleted with it.",
      ),
      image: field(30, ImageVolumeSource, "The volume is the read-only content of a container image or OCI artifact."),
    }),
  }),
);
export type Volume = z.infer<typeof Volume>;

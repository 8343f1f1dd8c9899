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
  "Volume contains files that the containers of a pod can mount. Exactly one source must be set.",
  () => ({
    name: required(
      1,
      text,
      "Name of the volume, a DNS label that is unique in the pod. Containers refer to the volume by this name.",
    ),
    ...embedded(2, {
      hostPath: field(1, HostPathVolumeSource, "File or directory of the node."),
      emptyDir: field(
        2,
        EmptyDirVolumeSource,
        "Directory that is initially empty and is deleted together with the pod.",
      ),
      gcePersistentDisk: field(3, GCEPersistentDiskVolumeSource, "Disk of Google Compute Engine."),
      awsElasticBlockStore: field(4, AWSElasticBlockStoreVolumeSource, "Disk of AWS Elastic Block Store."),
      gitRepo: field(5, GitRepoVolumeSource, "Clone of a Git repository. No longer supported."),
      secret: field(6, SecretVolumeSource, "Keys of a Secret, presented as files."),
      nfs: field(7, NFSVolumeSource, "Directory that an NFS server exports."),
      iscsi: field(8, ISCSIVolumeSource, "Disk that is attached over iSCSI."),
      glusterfs: field(9, GlusterfsVolumeSource, "Glusterfs volume. No longer supported."),
      persistentVolumeClaim: field(
        10,
        PersistentVolumeClaimVolumeSource,
        "Volume that is bound to a PersistentVolumeClaim. The volume is kept after the pod is deleted.",
      ),
      rbd: field(11, RBDVolumeSource, "RADOS block device of Ceph. No longer supported."),
      flexVolume: field(
        12,
        FlexVolumeSource,
        "Volume that a program on the node provides. Deprecated in favor of CSI.",
      ),
      cinder: field(13, CinderVolumeSource, "OpenStack Cinder volume. Deprecated."),
      cephfs: field(14, CephFSVolumeSource, "CephFS directory. No longer supported."),
      flocker: field(15, FlockerVolumeSource, "Flocker dataset. No longer supported."),
      downwardAPI: field(16, DownwardAPIVolumeSource, "Fields of the pod, presented as files."),
      fc: field(17, FCVolumeSource, "Disk that is attached over Fibre Channel."),
      azureFile: field(18, AzureFileVolumeSource, "Azure File share. Deprecated."),
      configMap: field(19, ConfigMapVolumeSource, "Keys of a ConfigMap, presented as files."),
      vsphereVolume: field(20, VsphereVirtualDiskVolumeSource, "Virtual disk of vSphere."),
      quobyte: field(21, QuobyteVolumeSource, "Quobyte volume. No longer supported."),
      azureDisk: field(22, AzureDiskVolumeSource, "Azure Data Disk. Deprecated."),
      photonPersistentDisk: field(
        23,
        PhotonPersistentDiskVolumeSource,
        "Disk of Photon Controller. No longer supported.",
      ),
      portworxVolume: field(24, PortworxVolumeSource, "Portworx volume. Deprecated."),
      scaleIO: field(25, ScaleIOVolumeSource, "ScaleIO volume. No longer supported."),
      projected: field(26, ProjectedVolumeSource, "Files of several sources in one volume."),
      storageos: field(27, StorageOSVolumeSource, "StorageOS volume. No longer supported."),
      csi: field(28, CSIVolumeSource, "Ephemeral volume that a CSI driver provides."),
      ephemeral: field(
        29,
        EphemeralVolumeSource,
        "Volume of a claim that is created and deleted together with the pod.",
      ),
      image: field(30, ImageVolumeSource, "Read-only content of a container image or OCI artifact."),
    }),
  }),
);
export type Volume = z.infer<typeof Volume>;

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
  "Files for the containers of a pod. Exactly one source is named.",
  () => ({
    name: required(1, text, "By which containers mount it."),
    ...embedded(2, {
      hostPath: field(1, HostPathVolumeSource, "A file or folder of the node."),
      emptyDir: field(2, EmptyDirVolumeSource, "An empty folder."),
      gcePersistentDisk: field(3, GCEPersistentDiskVolumeSource),
      awsElasticBlockStore: field(4, AWSElasticBlockStoreVolumeSource),
      gitRepo: field(5, GitRepoVolumeSource),
      secret: field(6, SecretVolumeSource, "A Secret's values."),
      nfs: field(7, NFSVolumeSource, "A folder of an NFS server."),
      iscsi: field(8, ISCSIVolumeSource),
      glusterfs: field(9, GlusterfsVolumeSource),
      persistentVolumeClaim: field(10, PersistentVolumeClaimVolumeSource, "A volume that outlives the pod."),
      rbd: field(11, RBDVolumeSource),
      flexVolume: field(12, FlexVolumeSource),
      cinder: field(13, CinderVolumeSource),
      cephfs: field(14, CephFSVolumeSource),
      flocker: field(15, FlockerVolumeSource),
      downwardAPI: field(16, DownwardAPIVolumeSource, "Fields of the pod."),
      fc: field(17, FCVolumeSource),
      azureFile: field(18, AzureFileVolumeSource),
      configMap: field(19, ConfigMapVolumeSource, "A ConfigMap's values."),
      vsphereVolume: field(20, VsphereVirtualDiskVolumeSource),
      quobyte: field(21, QuobyteVolumeSource),
      azureDisk: field(22, AzureDiskVolumeSource),
      photonPersistentDisk: field(23, PhotonPersistentDiskVolumeSource),
      portworxVolume: field(24, PortworxVolumeSource),
      scaleIO: field(25, ScaleIOVolumeSource),
      projected: field(26, ProjectedVolumeSource, "Files from several sources."),
      storageos: field(27, StorageOSVolumeSource),
      csi: field(28, CSIVolumeSource, "A volume that a driver makes."),
      ephemeral: field(29, EphemeralVolumeSource, "A volume that is made for the pod."),
      image: field(30, ImageVolumeSource, "The files of an image."),
    }),
  }),
);
export type Volume = z.infer<typeof Volume>;

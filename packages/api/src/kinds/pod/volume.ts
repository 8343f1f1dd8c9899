import type { z } from "zod";
import { embedded, field, object, required } from "../../schema/fields.ts";
import { text } from "../../schema/types.ts";
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

export const Volume = object("io.k8s.api.core.v1.Volume", {
  name: required(1, text),
  ...embedded(2, {
    hostPath: field(1, HostPathVolumeSource),
    emptyDir: field(2, EmptyDirVolumeSource),
    gcePersistentDisk: field(3, GCEPersistentDiskVolumeSource),
    awsElasticBlockStore: field(4, AWSElasticBlockStoreVolumeSource),
    gitRepo: field(5, GitRepoVolumeSource),
    secret: field(6, SecretVolumeSource),
    nfs: field(7, NFSVolumeSource),
    iscsi: field(8, ISCSIVolumeSource),
    glusterfs: field(9, GlusterfsVolumeSource),
    persistentVolumeClaim: field(10, PersistentVolumeClaimVolumeSource),
    rbd: field(11, RBDVolumeSource),
    flexVolume: field(12, FlexVolumeSource),
    cinder: field(13, CinderVolumeSource),
    cephfs: field(14, CephFSVolumeSource),
    flocker: field(15, FlockerVolumeSource),
    downwardAPI: field(16, DownwardAPIVolumeSource),
    fc: field(17, FCVolumeSource),
    azureFile: field(18, AzureFileVolumeSource),
    configMap: field(19, ConfigMapVolumeSource),
    vsphereVolume: field(20, VsphereVirtualDiskVolumeSource),
    quobyte: field(21, QuobyteVolumeSource),
    azureDisk: field(22, AzureDiskVolumeSource),
    photonPersistentDisk: field(23, PhotonPersistentDiskVolumeSource),
    portworxVolume: field(24, PortworxVolumeSource),
    scaleIO: field(25, ScaleIOVolumeSource),
    projected: field(26, ProjectedVolumeSource),
    storageos: field(27, StorageOSVolumeSource),
    csi: field(28, CSIVolumeSource),
    ephemeral: field(29, EphemeralVolumeSource),
    image: field(30, ImageVolumeSource),
  }),
});
export type Volume = z.infer<typeof Volume>;

import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { embedded, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int32, int64, map, text } from "../../../../schema/types.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "../spec/env.ts";

export const KeyToPath = object("io.k8s.api.core.v1.KeyToPath", "One value as a file.", () => ({
  key: required(1, text),
  path: required(2, text),
  mode: field(3, int32),
}));
export type KeyToPath = z.infer<typeof KeyToPath>;

export const ConfigMapVolumeSource = object(
  "io.k8s.api.core.v1.ConfigMapVolumeSource",
  "A ConfigMap's values as files.",
  () => ({
    ...embedded(1, {
      name: field(1, text),
    }),
    items: field(2, atomicList(KeyToPath)),
    defaultMode: field(3, int32),
    optional: field(4, bool),
  }),
);
export type ConfigMapVolumeSource = z.infer<typeof ConfigMapVolumeSource>;

export const SecretVolumeSource = object(
  "io.k8s.api.core.v1.SecretVolumeSource",
  "A Secret's values as files.",
  () => ({
    secretName: field(1, text),
    items: field(2, atomicList(KeyToPath)),
    defaultMode: field(3, int32),
    optional: field(4, bool),
  }),
);
export type SecretVolumeSource = z.infer<typeof SecretVolumeSource>;

export const DownwardAPIVolumeFile = object(
  "io.k8s.api.core.v1.DownwardAPIVolumeFile",
  "A field of the pod as a file.",
  () => ({
    path: required(1, text),
    fieldRef: field(2, ObjectFieldSelector),
    resourceFieldRef: field(3, ResourceFieldSelector),
    mode: field(4, int32),
  }),
);
export type DownwardAPIVolumeFile = z.infer<typeof DownwardAPIVolumeFile>;

export const DownwardAPIVolumeSource = object(
  "io.k8s.api.core.v1.DownwardAPIVolumeSource",
  "Fields of the pod as files.",
  () => ({
    items: field(1, atomicList(DownwardAPIVolumeFile)),
    defaultMode: field(2, int32),
  }),
);
export type DownwardAPIVolumeSource = z.infer<typeof DownwardAPIVolumeSource>;

export const ConfigMapProjection = object(
  "io.k8s.api.core.v1.ConfigMapProjection",
  "A ConfigMap's values as files among others.",
  () => ({
    ...embedded(1, {
      name: field(1, text),
    }),
    items: field(2, atomicList(KeyToPath)),
    optional: field(4, bool),
  }),
);
export type ConfigMapProjection = z.infer<typeof ConfigMapProjection>;

export const SecretProjection = object(
  "io.k8s.api.core.v1.SecretProjection",
  "A Secret's values as files among others.",
  () => ({
    ...embedded(1, {
      name: field(1, text),
    }),
    items: field(2, atomicList(KeyToPath)),
    optional: field(4, bool),
  }),
);
export type SecretProjection = z.infer<typeof SecretProjection>;

export const DownwardAPIProjection = object(
  "io.k8s.api.core.v1.DownwardAPIProjection",
  "Fields of the pod as files among others.",
  () => ({
    items: field(1, atomicList(DownwardAPIVolumeFile)),
  }),
);
export type DownwardAPIProjection = z.infer<typeof DownwardAPIProjection>;

export const ServiceAccountTokenProjection = object(
  "io.k8s.api.core.v1.ServiceAccountTokenProjection",
  "A token of the pod's service account as a file that is renewed.",
  () => ({
    audience: field(1, text),
    expirationSeconds: field(2, int64),
    path: required(3, text),
  }),
);
export type ServiceAccountTokenProjection = z.infer<typeof ServiceAccountTokenProjection>;

export const ClusterTrustBundleProjection = object(
  "io.k8s.api.core.v1.ClusterTrustBundleProjection",
  "Trusted certificates as a file.",
  () => ({
    name: field(1, text),
    signerName: field(2, text),
    labelSelector: field(3, LabelSelector),
    path: required(4, text),
    optional: field(5, bool),
  }),
);
export type ClusterTrustBundleProjection = z.infer<typeof ClusterTrustBundleProjection>;

export const PodCertificateProjection = object(
  "io.k8s.api.core.v1.PodCertificateProjection",
  "A certificate for the pod as files that are renewed.",
  () => ({
    signerName: required(1, text),
    keyType: required(2, text),
    maxExpirationSeconds: field(3, int32),
    credentialBundlePath: field(4, text),
    keyPath: field(5, text),
    certificateChainPath: field(6, text),
    userAnnotations: field(7, map(text)),
  }),
);
export type PodCertificateProjection = z.infer<typeof PodCertificateProjection>;

export const VolumeProjection = object(
  "io.k8s.api.core.v1.VolumeProjection",
  "One source of the files in a volume.",
  () => ({
    secret: field(1, SecretProjection),
    downwardAPI: field(2, DownwardAPIProjection),
    configMap: field(3, ConfigMapProjection),
    serviceAccountToken: field(4, ServiceAccountTokenProjection),
    clusterTrustBundle: field(5, ClusterTrustBundleProjection),
    podCertificate: field(6, PodCertificateProjection),
  }),
);
export type VolumeProjection = z.infer<typeof VolumeProjection>;

export const ProjectedVolumeSource = object(
  "io.k8s.api.core.v1.ProjectedVolumeSource",
  "Files from several sources in one volume.",
  () => ({
    sources: field(1, atomicList(VolumeProjection)),
    defaultMode: field(2, int32),
  }),
);
export type ProjectedVolumeSource = z.infer<typeof ProjectedVolumeSource>;

import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { embedded, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int32, int64, map, text } from "../../../../schema/types.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "../spec/env.ts";

export const KeyToPath = object("io.k8s.api.core.v1.KeyToPath", "The item maps one key to a file.", () => ({
  key: required(1, text, "The file holds the value of this key."),
  path: required(2, text, "The file is at this relative path, which must not contain or start with '..'."),
  mode: field(
    3,
    int32,
    "The file has these permission bits, from 0 to 0777; the default is defaultMode of the volume.",
  ),
}));
export type KeyToPath = z.infer<typeof KeyToPath>;

export const ConfigMapVolumeSource = object(
  "io.k8s.api.core.v1.ConfigMapVolumeSource",
  "The source presents the keys of a ConfigMap as files.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "The ConfigMap has this name."),
    }),
    items: field(
      2,
      atomicList(KeyToPath),
      "Only these keys become files, at the given paths; without items, every key becomes a file of its own name.",
    ),
    defaultMode: field(
      3,
      int32,
      "Files have these permission bits unless an item sets its own, from 0 to 0777; the default is 0644.",
    ),
    optional: field(4, bool, "The ConfigMap or its keys may be missing when this is true."),
  }),
);
export type ConfigMapVolumeSource = z.infer<typeof ConfigMapVolumeSource>;

export const SecretVolumeSource = object(
  "io.k8s.api.core.v1.SecretVolumeSource",
  "The source presents the keys of a Secret as files.",
  () => ({
    secretName: field(1, text, "The Secret has this name."),
    items: field(
      2,
      atomicList(KeyToPath),
      "Only these keys become files, at the given paths; without items, every key becomes a file of its own name.",
    ),
    defaultMode: field(
      3,
      int32,
      "Files have these permission bits unless an item sets its own, from 0 to 0777; the default is 0644.",
    ),
    optional: field(4, bool, "The Secret or its keys may be missing when this is true."),
  }),
);
export type SecretVolumeSource = z.infer<typeof SecretVolumeSource>;

export const DownwardAPIVolumeFile = object(
  "io.k8s.api.core.v1.DownwardAPIVolumeFile",
  "The item presents a field or a resource of the pod as a file; exactly one of the two must be set.",
  () => ({
    path: required(1, text, "The file is at this relative path, which must not contain or start with '..'."),
    fieldRef: field(
      2,
      ObjectFieldSelector,
      "The file holds this field of the pod: its name, namespace, UID, labels or annotations.",
    ),
    resourceFieldRef: field(3, ResourceFieldSelector, "The file holds this request or limit of a container."),
    mode: field(
      4,
      int32,
      "The file has these permission bits, from 0 to 0777; the default is defaultMode of the volume.",
    ),
  }),
);
export type DownwardAPIVolumeFile = z.infer<typeof DownwardAPIVolumeFile>;

export const DownwardAPIVolumeSource = object(
  "io.k8s.api.core.v1.DownwardAPIVolumeSource",
  "The source presents fields of the pod as files.",
  () => ({
    items: field(1, atomicList(DownwardAPIVolumeFile), "Each item becomes one file."),
    defaultMode: field(
      2,
      int32,
      "Files have these permission bits unless an item sets its own, from 0 to 0777; the default is 0644.",
    ),
  }),
);
export type DownwardAPIVolumeSource = z.infer<typeof DownwardAPIVolumeSource>;

export const ConfigMapProjection = object(
  "io.k8s.api.core.v1.ConfigMapProjection",
  "The projection adds the keys of a ConfigMap to a projected volume.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "The ConfigMap has this name."),
    }),
    items: field(
      2,
      atomicList(KeyToPath),
      "Only these keys become files, at the given paths; without items, every key becomes a file of its own name.",
    ),
    optional: field(4, bool, "The ConfigMap or its keys may be missing when this is true."),
  }),
);
export type ConfigMapProjection = z.infer<typeof ConfigMapProjection>;

export const SecretProjection = object(
  "io.k8s.api.core.v1.SecretProjection",
  "The projection adds the keys of a Secret to a projected volume.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "The Secret has this name."),
    }),
    items: field(
      2,
      atomicList(KeyToPath),
      "Only these keys become files, at the given paths; without items, every key becomes a file of its own name.",
    ),
    optional: field(4, bool, "The Secret or its key may be missing when this is true."),
  }),
);
export type SecretProjection = z.infer<typeof SecretProjection>;

export const DownwardAPIProjection = object(
  "io.k8s.api.core.v1.DownwardAPIProjection",
  "The projection adds fields of the pod to a projected volume.",
  () => ({
    items: field(1, atomicList(DownwardAPIVolumeFile), "Each item becomes one file."),
  }),
);
export type DownwardAPIProjection = z.infer<typeof DownwardAPIProjection>;

export const ServiceAccountTokenProjection = object(
  "io.k8s.api.core.v1.ServiceAccountTokenProjection",
  "The projection adds a token of the pod's service account to a projected volume; the kubelet renews it before it expires.",
  () => ({
    audience: field(
      1,
      text,
      "Recipients accept the token only when they identify themselves as this audience; the default is the API server.",
    ),
    expirationSeconds: field(
      2,
      int64,
      "The token is requested for this many seconds, at least 600; the default is 3600.",
    ),
    path: required(3, text, "The token is written to this relative path in the volume."),
  }),
);
export type ServiceAccountTokenProjection = z.infer<typeof ServiceAccountTokenProjection>;

export const ClusterTrustBundleProjection = object(
  "io.k8s.api.core.v1.ClusterTrustBundleProjection",
  "The projection adds trusted certificates to a projected volume; name excludes signerName.",
  () => ({
    name: field(1, text, "The certificates come from the ClusterTrustBundle with this name."),
    signerName: field(2, text, "The certificates come from all matching ClusterTrustBundles of this signer."),
    labelSelector: field(
      3,
      LabelSelector,
      "Only ClusterTrustBundles that match this selector are used; an unset selector matches none.",
    ),
    path: required(4, text, "The certificates are written to this relative path in the volume, encoded as PEM."),
    optional: field(5, bool, "The ClusterTrustBundle may be missing when this is true."),
  }),
);
export type ClusterTrustBundleProjection = z.infer<typeof ClusterTrustBundleProjection>;

export const PodCertificateProjection = object(
  "io.k8s.api.core.v1.PodCertificateProjection",
  "The projection adds a private key and its certificate to a projected volume; the kubelet renews them.",
  () => ({
    signerName: required(1, text, "The kubelet requests the certificate from this signer."),
    keyType: required(2, text, "The kubelet generates a key of this type, such as ECDSAP256 or ED25519."),
    maxExpirationSeconds: field(
      3,
      int32,
      "The certificate may be valid for at most this many seconds, from 3600 to 7862400; the default is 86400.",
    ),
    credentialBundlePath: field(4, text, "The key and the certificate chain are written into one file at this path."),
    keyPath: field(5, text, "The key is written to this path."),
    certificateChainPath: field(6, text, "The certificate chain is written to this path."),
    userAnnotations: field(7, map(text), "The signer receives these annotations unverified."),
  }),
);
export type PodCertificateProjection = z.infer<typeof PodCertificateProjection>;

export const VolumeProjection = object(
  "io.k8s.api.core.v1.VolumeProjection",
  "The projection is one source of a projected volume; exactly one field must be set.",
  () => ({
    secret: field(1, SecretProjection, "The files come from a Secret."),
    downwardAPI: field(2, DownwardAPIProjection, "The files come from fields of the pod."),
    configMap: field(3, ConfigMapProjection, "The files come from a ConfigMap."),
    serviceAccountToken: field(
      4,
      ServiceAccountTokenProjection,
      "The file holds a token of the pod's service account.",
    ),
    clusterTrustBundle: field(5, ClusterTrustBundleProjection, "The file holds certificates of ClusterTrustBundles."),
    podCertificate: field(6, PodCertificateProjection, "The files hold a private key and its certificate."),
  }),
);
export type VolumeProjection = z.infer<typeof VolumeProjection>;

export const ProjectedVolumeSource = object(
  "io.k8s.api.core.v1.ProjectedVolumeSource",
  "The source combines the files of several sources in one volume.",
  () => ({
    sources: field(1, atomicList(VolumeProjection), "Each entry adds the files of one source."),
    defaultMode: field(
      2,
      int32,
      "Files have these permission bits unless an item sets its own, from 0 to 0777; the default is 0644.",
    ),
  }),
);
export type ProjectedVolumeSource = z.infer<typeof ProjectedVolumeSource>;

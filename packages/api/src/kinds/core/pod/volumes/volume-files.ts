import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { embedded, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int32, int64, map, text } from "../../../../schema/types.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "../spec/env.ts";

export const KeyToPath = object("io.k8s.api.core.v1.KeyToPath", "KeyToPath maps one key to a file.", () => ({
  key: required(1, text, "Key whose value the file contains."),
  path: required(2, text, "Relative path of the file. Must not contain or start with '..'."),
  mode: field(3, int32, "Permission bits of the file, from 0 to 0777. Defaults to defaultMode of the volume."),
}));
export type KeyToPath = z.infer<typeof KeyToPath>;

export const ConfigMapVolumeSource = object(
  "io.k8s.api.core.v1.ConfigMapVolumeSource",
  "ConfigMapVolumeSource presents the keys of a ConfigMap as files.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "Name of the ConfigMap."),
    }),
    items: field(
      2,
      atomicList(KeyToPath),
      "Keys that become files, and the paths of these files. If unset, every key becomes a file whose name is the key.",
    ),
    defaultMode: field(
      3,
      int32,
      "Permission bits of files whose item does not set mode, from 0 to 0777. Defaults to 0644.",
    ),
    optional: field(4, bool, "Allows the ConfigMap or its keys to be missing if true."),
  }),
);
export type ConfigMapVolumeSource = z.infer<typeof ConfigMapVolumeSource>;

export const SecretVolumeSource = object(
  "io.k8s.api.core.v1.SecretVolumeSource",
  "SecretVolumeSource presents the keys of a Secret as files.",
  () => ({
    secretName: field(1, text, "Name of the Secret."),
    items: field(
      2,
      atomicList(KeyToPath),
      "Keys that become files, and the paths of these files. If unset, every key becomes a file whose name is the key.",
    ),
    defaultMode: field(
      3,
      int32,
      "Permission bits of files whose item does not set mode, from 0 to 0777. Defaults to 0644.",
    ),
    optional: field(4, bool, "Allows the Secret or its keys to be missing if true."),
  }),
);
export type SecretVolumeSource = z.infer<typeof SecretVolumeSource>;

export const DownwardAPIVolumeFile = object(
  "io.k8s.api.core.v1.DownwardAPIVolumeFile",
  "DownwardAPIVolumeFile presents a field or a resource of the pod as a file. Exactly one of fieldRef and resourceFieldRef must be set.",
  () => ({
    path: required(1, text, "Relative path of the file. Must not contain or start with '..'."),
    fieldRef: field(2, ObjectFieldSelector, "Field of the pod: its name, namespace, UID, labels or annotations."),
    resourceFieldRef: field(3, ResourceFieldSelector, "Request or limit of a container."),
    mode: field(4, int32, "Permission bits of the file, from 0 to 0777. Defaults to defaultMode of the volume."),
  }),
);
export type DownwardAPIVolumeFile = z.infer<typeof DownwardAPIVolumeFile>;

export const DownwardAPIVolumeSource = object(
  "io.k8s.api.core.v1.DownwardAPIVolumeSource",
  "DownwardAPIVolumeSource presents fields of the pod as files.",
  () => ({
    items: field(1, atomicList(DownwardAPIVolumeFile), "Items that become files, one file for each item."),
    defaultMode: field(
      2,
      int32,
      "Permission bits of files whose item does not set mode, from 0 to 0777. Defaults to 0644.",
    ),
  }),
);
export type DownwardAPIVolumeSource = z.infer<typeof DownwardAPIVolumeSource>;

export const ConfigMapProjection = object(
  "io.k8s.api.core.v1.ConfigMapProjection",
  "ConfigMapProjection adds the keys of a ConfigMap to a projected volume.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "Name of the ConfigMap."),
    }),
    items: field(
      2,
      atomicList(KeyToPath),
      "Keys that become files, and the paths of these files. If unset, every key becomes a file whose name is the key.",
    ),
    optional: field(4, bool, "Allows the ConfigMap or its keys to be missing if true."),
  }),
);
export type ConfigMapProjection = z.infer<typeof ConfigMapProjection>;

export const SecretProjection = object(
  "io.k8s.api.core.v1.SecretProjection",
  "SecretProjection adds the keys of a Secret to a projected volume.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "Name of the Secret."),
    }),
    items: field(
      2,
      atomicList(KeyToPath),
      "Keys that become files, and the paths of these files. If unset, every key becomes a file whose name is the key.",
    ),
    optional: field(4, bool, "Allows the Secret or its key to be missing if true."),
  }),
);
export type SecretProjection = z.infer<typeof SecretProjection>;

export const DownwardAPIProjection = object(
  "io.k8s.api.core.v1.DownwardAPIProjection",
  "DownwardAPIProjection adds fields of the pod to a projected volume.",
  () => ({
    items: field(1, atomicList(DownwardAPIVolumeFile), "Items that become files, one file for each item."),
  }),
);
export type DownwardAPIProjection = z.infer<typeof DownwardAPIProjection>;

export const ServiceAccountTokenProjection = object(
  "io.k8s.api.core.v1.ServiceAccountTokenProjection",
  "ServiceAccountTokenProjection adds a token of the pod's service account to a projected volume. The kubelet renews the token before it expires.",
  () => ({
    audience: field(
      1,
      text,
      "Intended audience of the token. A recipient that is not this audience must reject the token. Defaults to the API server.",
    ),
    expirationSeconds: field(2, int64, "Requested lifetime of the token in seconds, at least 600. Defaults to 3600."),
    path: required(3, text, "Relative path of the token's file in the volume."),
  }),
);
export type ServiceAccountTokenProjection = z.infer<typeof ServiceAccountTokenProjection>;

export const ClusterTrustBundleProjection = object(
  "io.k8s.api.core.v1.ClusterTrustBundleProjection",
  "ClusterTrustBundleProjection adds trusted certificates to a projected volume. The fields name and signerName cannot be combined.",
  () => ({
    name: field(1, text, "Name of the ClusterTrustBundle with the certificates."),
    signerName: field(2, text, "Signer of the ClusterTrustBundles with the certificates."),
    labelSelector: field(
      3,
      LabelSelector,
      "Label selector of the ClusterTrustBundles. An unset selector does not match any object.",
    ),
    path: required(4, text, "Relative path of the PEM file with the certificates in the volume."),
    optional: field(5, bool, "Allows the ClusterTrustBundle to be missing if true."),
  }),
);
export type ClusterTrustBundleProjection = z.infer<typeof ClusterTrustBundleProjection>;

export const PodCertificateProjection = object(
  "io.k8s.api.core.v1.PodCertificateProjection",
  "PodCertificateProjection adds a private key and its certificate to a projected volume. The kubelet renews the key and the certificate.",
  () => ({
    signerName: required(1, text, "Signer from which the kubelet requests the certificate."),
    keyType: required(2, text, "Type of the generated key, such as ECDSAP256 or ED25519."),
    maxExpirationSeconds: field(
      3,
      int32,
      "Maximum lifetime of the certificate in seconds, from 3600 to 7862400. Defaults to 86400.",
    ),
    credentialBundlePath: field(4, text, "Path of a file with both the key and the certificate chain."),
    keyPath: field(5, text, "Path of the file with the key."),
    certificateChainPath: field(6, text, "Path of the file with the certificate chain."),
    userAnnotations: field(7, map(text), "Annotations that are passed to the signer without verification."),
  }),
);
export type PodCertificateProjection = z.infer<typeof PodCertificateProjection>;

export const VolumeProjection = object(
  "io.k8s.api.core.v1.VolumeProjection",
  "VolumeProjection is one source of a projected volume. Exactly one field must be set.",
  () => ({
    secret: field(1, SecretProjection, "Secret whose keys become files."),
    downwardAPI: field(2, DownwardAPIProjection, "Fields of the pod that become files."),
    configMap: field(3, ConfigMapProjection, "ConfigMap whose keys become files."),
    serviceAccountToken: field(4, ServiceAccountTokenProjection, "Token of the pod's service account."),
    clusterTrustBundle: field(5, ClusterTrustBundleProjection, "Certificates of ClusterTrustBundles in one file."),
    podCertificate: field(6, PodCertificateProjection, "Private key and its certificate."),
  }),
);
export type VolumeProjection = z.infer<typeof VolumeProjection>;

export const ProjectedVolumeSource = object(
  "io.k8s.api.core.v1.ProjectedVolumeSource",
  "ProjectedVolumeSource combines the files of several sources in one volume.",
  () => ({
    sources: field(1, atomicList(VolumeProjection), "Sources of the volume's files."),
    defaultMode: field(
      2,
      int32,
      "Permission bits of files whose item does not set mode, from 0 to 0777. Defaults to 0644.",
    ),
  }),
);
export type ProjectedVolumeSource = z.infer<typeof ProjectedVolumeSource>;

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ClusterTrustBundle } from "./cluster-trust-bundle.ts";

export type { ClusterTrustBundle } from "./cluster-trust-bundle.ts";

const names = {
  group: "certificates.k8s.io",
  resource: "clustertrustbundles",
  singular: "clustertrustbundle",
  kind: "ClusterTrustBundle",
  namespaced: false,
  shortNames: [],
  categories: [],
};

/** Upstream serves v1beta1 since 1.33 and v1alpha1 since 1.26, neither by default. */
export const clusterTrustBundles: ResourceType<ClusterTrustBundle> = { ...names, version: "v1beta1" };
export const clusterTrustBundlesV1alpha1: ResourceType<ClusterTrustBundle> = { ...names, version: "v1alpha1" };

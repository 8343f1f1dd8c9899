import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ResourceClaim } from "./resource-claim.ts";

export const resourceClaims: ResourceType<ResourceClaim> = {
  group: "resource.k8s.io",
  version: "v1",
  resource: "resourceclaims",
  singular: "resourceclaim",
  kind: "ResourceClaim",
  namespaced: true,
  shortNames: [],
  categories: [],
};

/**
 * Label of a Namespace; with the value true, claims in it may request administrative access to
 * devices.
 */
export const deviceAdminLabel = "resource.kubernetes.io/admin-access";

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { LeaseCandidate } from "./lease-candidate.ts";

const names = {
  group: "coordination.k8s.io",
  resource: "leasecandidates",
  singular: "leasecandidate",
  kind: "LeaseCandidate",
  namespaced: true,
  shortNames: [],
  categories: [],
};

/** Upstream serves v1beta1 since 1.33 and v1alpha2 since 1.32, neither by default. */
export const leaseCandidates: ResourceType<LeaseCandidate> = { ...names, version: "v1beta1" };
export const leaseCandidatesV1alpha2: ResourceType<LeaseCandidate> = { ...names, version: "v1alpha2" };

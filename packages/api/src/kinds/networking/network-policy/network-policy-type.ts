import type { ResourceType } from "../../../meta/resource-type.ts";
import type { NetworkPolicy } from "./network-policy.ts";

export const networkPolicies: ResourceType<NetworkPolicy> = {
  group: "networking.k8s.io",
  version: "v1",
  resource: "networkpolicies",
  singular: "networkpolicy",
  kind: "NetworkPolicy",
  namespaced: true,
  shortNames: ["netpol"],
  categories: [],
};

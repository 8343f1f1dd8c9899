import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Lease } from "./lease.ts";

export const leases: ResourceType<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  resource: "leases",
  singular: "lease",
  kind: "Lease",
  namespaced: true,
  shortNames: [],
  categories: [],
};

/** The namespace in which each node renews a Lease of its own name. */
export const nodeLeaseNamespace = "kube-node-lease";

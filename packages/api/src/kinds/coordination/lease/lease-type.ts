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

/** Each node renews a Lease of its own name here. */
export const nodeLeaseNamespace = "kube-node-lease";

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { IPAddress } from "./ip-address.ts";

export const ipAddresses: ResourceType<IPAddress> = {
  group: "networking.k8s.io",
  version: "v1",
  resource: "ipaddresses",
  singular: "ipaddress",
  kind: "IPAddress",
  namespaced: false,
  shortNames: ["ip"],
  categories: [],
};

/** Labels of addresses, and the value of those that the API server keeps for Services. */
export const ipFamilyLabel = "ipaddress.kubernetes.io/ip-family";
export const managedByLabel = "ipaddress.kubernetes.io/managed-by";
export const ipAllocatorName = "ipallocator.k8s.io";

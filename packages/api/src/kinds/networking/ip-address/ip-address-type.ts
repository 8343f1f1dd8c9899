import type { ResourceType } from "../../../meta/resource-type.ts";
import type { IPAddress } from "./ip-address.ts";

const names = {
  group: "networking.k8s.io",
  resource: "ipaddresses",
  singular: "ipaddress",
  kind: "IPAddress",
  namespaced: false,
  shortNames: ["ip"],
  categories: [],
};

/** Upstream serves v1 since 1.33, and v1beta1, with the same fields, since 1.31 on demand. */
export const ipAddresses: ResourceType<IPAddress> = { ...names, version: "v1" };
export const ipAddressesV1beta1: ResourceType<IPAddress> = { ...names, version: "v1beta1" };

/** Labels of addresses, and the value for addresses that the API server manages for Services. */
export const ipFamilyLabel = "ipaddress.kubernetes.io/ip-family";
export const managedByLabel = "ipaddress.kubernetes.io/managed-by";
export const ipAllocatorName = "ipallocator.k8s.io";

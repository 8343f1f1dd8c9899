import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ServiceCIDR } from "./service-cidr.ts";

const names = {
  group: "networking.k8s.io",
  resource: "servicecidrs",
  singular: "servicecidr",
  kind: "ServiceCIDR",
  namespaced: false,
  shortNames: [],
  categories: [],
};

/** Upstream serves v1 since 1.33, and v1beta1, with the same fields, since 1.31 on demand. */
export const serviceCidrs: ResourceType<ServiceCIDR> = { ...names, version: "v1" };
export const serviceCidrsV1beta1: ResourceType<ServiceCIDR> = { ...names, version: "v1beta1" };

/** The API server creates the range of this name from its own settings. */
export const defaultServiceCidrName = "kubernetes";

/**
 * Delays the deletion of a range until another range contains the addresses that Services have of
 * it.
 */
export const serviceCidrFinalizer = "networking.k8s.io/service-cidr-finalizer";

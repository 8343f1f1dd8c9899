import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ServiceCIDR } from "./service-cidr.ts";

export const serviceCidrs: ResourceType<ServiceCIDR> = {
  group: "networking.k8s.io",
  version: "v1",
  resource: "servicecidrs",
  singular: "servicecidr",
  kind: "ServiceCIDR",
  namespaced: false,
  shortNames: [],
  categories: [],
};

/** The API server makes the range of this name from its own settings. */
export const defaultServiceCidrName = "kubernetes";

/** Holds a range back until the addresses that Services have of it are in another one too. */
export const serviceCidrFinalizer = "networking.k8s.io/service-cidr-finalizer";

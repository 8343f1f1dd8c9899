import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Service } from "./service.ts";

export const services: ResourceType<Service> = {
  group: "",
  version: "v1",
  resource: "services",
  singular: "service",
  kind: "Service",
  namespaced: true,
  shortNames: ["svc"],
  categories: ["all"],
};

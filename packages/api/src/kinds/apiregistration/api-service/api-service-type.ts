import type { ResourceType } from "../../../meta/resource-type.ts";
import type { APIService } from "./api-service.ts";

export const apiServices: ResourceType<APIService> = {
  group: "apiregistration.k8s.io",
  version: "v1",
  resource: "apiservices",
  singular: "apiservice",
  kind: "APIService",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
};

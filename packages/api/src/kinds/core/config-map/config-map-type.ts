import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ConfigMap } from "./config-map.ts";

export const configMaps: ResourceType<ConfigMap> = {
  group: "",
  version: "v1",
  resource: "configmaps",
  singular: "configmap",
  kind: "ConfigMap",
  namespaced: true,
  shortNames: ["cm"],
  categories: [],
};

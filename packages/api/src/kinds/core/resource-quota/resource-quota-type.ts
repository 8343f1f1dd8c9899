import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ResourceQuota } from "./resource-quota.ts";

export const resourceQuotas: ResourceType<ResourceQuota> = {
  group: "",
  version: "v1",
  resource: "resourcequotas",
  singular: "resourcequota",
  kind: "ResourceQuota",
  namespaced: true,
  shortNames: ["quota"],
  categories: [],
};

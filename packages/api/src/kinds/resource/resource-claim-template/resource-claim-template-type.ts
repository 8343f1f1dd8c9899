import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ResourceClaimTemplate } from "./resource-claim-template.ts";

export const resourceClaimTemplates: ResourceType<ResourceClaimTemplate> = {
  group: "resource.k8s.io",
  version: "v1",
  resource: "resourceclaimtemplates",
  singular: "resourceclaimtemplate",
  kind: "ResourceClaimTemplate",
  namespaced: true,
  shortNames: [],
  categories: [],
};

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { PodTemplate } from "./pod-template.ts";

export const podTemplates: ResourceType<PodTemplate> = {
  group: "",
  version: "v1",
  resource: "podtemplates",
  singular: "podtemplate",
  kind: "PodTemplate",
  namespaced: true,
  shortNames: [],
  categories: [],
};

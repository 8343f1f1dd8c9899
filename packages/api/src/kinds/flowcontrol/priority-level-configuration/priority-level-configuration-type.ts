import type { ResourceType } from "../../../meta/resource-type.ts";
import type { PriorityLevelConfiguration } from "./priority-level-configuration.ts";

export const priorityLevelConfigurations: ResourceType<PriorityLevelConfiguration> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  resource: "prioritylevelconfigurations",
  singular: "prioritylevelconfiguration",
  kind: "PriorityLevelConfiguration",
  namespaced: false,
  shortNames: [],
  categories: [],
};

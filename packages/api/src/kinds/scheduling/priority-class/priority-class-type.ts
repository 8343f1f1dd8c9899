import type { ResourceType } from "../../../meta/resource-type.ts";
import type { PriorityClass } from "./priority-class.ts";

export const priorityClasses: ResourceType<PriorityClass> = {
  group: "scheduling.k8s.io",
  version: "v1",
  resource: "priorityclasses",
  singular: "priorityclass",
  kind: "PriorityClass",
  namespaced: false,
  shortNames: ["pc"],
  categories: [],
};

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { RuntimeClass } from "./runtime-class.ts";

export const runtimeClasses: ResourceType<RuntimeClass> = {
  group: "node.k8s.io",
  version: "v1",
  resource: "runtimeclasses",
  singular: "runtimeclass",
  kind: "RuntimeClass",
  namespaced: false,
  shortNames: [],
  categories: [],
};

import type { ResourceType, SubresourceType } from "../../../meta/resource-type.ts";
import type { Binding } from "./binding.ts";

export const bindings: ResourceType<Binding> = {
  group: "",
  version: "v1",
  resource: "bindings",
  singular: "binding",
  kind: "Binding",
  namespaced: true,
  shortNames: [],
  categories: [],
};

export const binding: SubresourceType<Binding> = {
  group: "",
  version: "v1",
  subresource: "binding",
  kind: "Binding",
};

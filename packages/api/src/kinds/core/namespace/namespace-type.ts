import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Namespace } from "./namespace.ts";

export const namespaces: ResourceType<Namespace> = {
  group: "",
  version: "v1",
  resource: "namespaces",
  singular: "namespace",
  kind: "Namespace",
  namespaced: false,
  shortNames: ["ns"],
  categories: [],
};

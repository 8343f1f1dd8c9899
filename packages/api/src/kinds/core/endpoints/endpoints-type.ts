import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Endpoints } from "./endpoints.ts";

export const endpoints: ResourceType<Endpoints> = {
  group: "",
  version: "v1",
  resource: "endpoints",
  singular: "endpoints",
  kind: "Endpoints",
  namespaced: true,
  shortNames: ["ep"],
  categories: [],
};

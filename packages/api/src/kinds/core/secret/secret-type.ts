import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Secret } from "./secret.ts";

export const secrets: ResourceType<Secret> = {
  group: "",
  version: "v1",
  resource: "secrets",
  singular: "secret",
  kind: "Secret",
  namespaced: true,
  shortNames: [],
  categories: [],
};

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Deployment } from "./deployment.ts";

export const deployments: ResourceType<Deployment> = {
  group: "apps",
  version: "v1",
  resource: "deployments",
  singular: "deployment",
  kind: "Deployment",
  namespaced: true,
  shortNames: ["deploy"],
  categories: ["all"],
};

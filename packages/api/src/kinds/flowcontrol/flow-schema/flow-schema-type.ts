import type { ResourceType } from "../../../meta/resource-type.ts";
import type { FlowSchema } from "./flow-schema.ts";

export const flowSchemas: ResourceType<FlowSchema> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  resource: "flowschemas",
  singular: "flowschema",
  kind: "FlowSchema",
  namespaced: false,
  shortNames: [],
  categories: [],
};

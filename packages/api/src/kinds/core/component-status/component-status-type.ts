import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ComponentStatus } from "./component-status.ts";

export const componentStatuses: ResourceType<ComponentStatus> = {
  group: "",
  version: "v1",
  resource: "componentstatuses",
  singular: "componentstatus",
  kind: "ComponentStatus",
  namespaced: false,
  shortNames: ["cs"],
  categories: [],
};

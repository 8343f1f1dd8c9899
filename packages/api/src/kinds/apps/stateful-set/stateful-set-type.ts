import type { ResourceType } from "../../../meta/resource-type.ts";
import type { StatefulSet } from "./stateful-set.ts";

export const statefulSets: ResourceType<StatefulSet> = {
  group: "apps",
  version: "v1",
  resource: "statefulsets",
  singular: "statefulset",
  kind: "StatefulSet",
  namespaced: true,
  shortNames: ["sts"],
  categories: ["all"],
};

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { DaemonSet } from "./daemon-set.ts";

export const daemonSets: ResourceType<DaemonSet> = {
  group: "apps",
  version: "v1",
  resource: "daemonsets",
  singular: "daemonset",
  kind: "DaemonSet",
  namespaced: true,
  shortNames: ["ds"],
  categories: ["all"],
};

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Pod } from "./pod.ts";

export const pods: ResourceType<Pod> = {
  group: "",
  version: "v1",
  resource: "pods",
  singular: "pod",
  kind: "Pod",
  namespaced: true,
  shortNames: ["po"],
  categories: ["all"],
};

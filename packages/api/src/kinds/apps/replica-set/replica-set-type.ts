import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ReplicaSet } from "./replica-set.ts";

export const replicaSets: ResourceType<ReplicaSet> = {
  group: "apps",
  version: "v1",
  resource: "replicasets",
  singular: "replicaset",
  kind: "ReplicaSet",
  namespaced: true,
  shortNames: ["rs"],
  categories: ["all"],
};

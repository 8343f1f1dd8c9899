import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ReplicationController } from "./replication-controller.ts";

export const replicationControllers: ResourceType<ReplicationController> = {
  group: "",
  version: "v1",
  resource: "replicationcontrollers",
  singular: "replicationcontroller",
  kind: "ReplicationController",
  namespaced: true,
  shortNames: ["rc"],
  categories: ["all"],
};

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Node } from "./node.ts";

export const nodes: ResourceType<Node> = {
  group: "",
  version: "v1",
  resource: "nodes",
  singular: "node",
  kind: "Node",
  namespaced: false,
  shortNames: ["no"],
  categories: [],
};

import type { ResourceType } from "../../../meta/resource-type.ts";
import type { CSINode } from "./csi-node.ts";

export const csiNodes: ResourceType<CSINode> = {
  group: "storage.k8s.io",
  version: "v1",
  resource: "csinodes",
  singular: "csinode",
  kind: "CSINode",
  namespaced: false,
  shortNames: [],
  categories: [],
};

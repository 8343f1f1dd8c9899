import { Node, nodes } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const nodeResource = defineResource<Node>({
  type: nodes,
  schema: Node,
  subresources: ["proxy", "status"],
  rules: {
    // Unlike most kinds, upstream takes a node's status with its creation: the kubelet registers with it.
    status: true,
    statusOnCreate: true,
    selectableFields: { "spec.unschedulable": (node) => String(node.spec?.unschedulable === true) },
  },
});

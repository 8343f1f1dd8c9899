import { defineKind } from "../../define-kind.ts";
import { roundToMilli } from "../pod/defaults/container-defaults.ts";
import { nodeTable } from "./node-table.ts";
import { nodes } from "./node-type.ts";
import { validateNode, validateNodeStatus, validateNodeUpdate } from "./node-validation.ts";
import { Node } from "./node.ts";

export const nodeKind = defineKind<Node>({
  type: nodes,
  schema: Node,
  defaults: setNodeDefaults,
  validation: { validate: validateNode, update: validateNodeUpdate, status: validateNodeStatus },
  // Unlike most kinds, upstream takes a node's status with its creation: the kubelet registers with
  // it.
  strategy: { status: true, statusOnCreate: true },
  subresources: ["proxy", "status"],
  selectable: { "spec.unschedulable": (node) => String(node.spec?.unschedulable === true) },
  table: nodeTable,
  exceptions: { nodeOf: ({ name }) => name },
});

function setNodeDefaults({ spec, status }: Node): void {
  if (spec !== undefined && (spec.podCIDR ?? "") !== "" && spec.podCIDRs === undefined)
    spec.podCIDRs = [spec.podCIDR ?? ""];
  if (spec !== undefined && spec.podCIDR === undefined && spec.podCIDRs?.[0] !== undefined)
    spec.podCIDR = spec.podCIDRs[0];
  roundToMilli(status?.capacity);
  roundToMilli(status?.allocatable);
  if (status?.capacity !== undefined) status.allocatable ??= { ...status.capacity };
}

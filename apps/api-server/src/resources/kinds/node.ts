import { Node, nodes } from "@kintsugi/api";
import { type FieldProblem, fieldForbidden } from "../../http/refusals.ts";
import { defineResource } from "../resource.ts";

export const nodeResource = defineResource<Node>({
  type: nodes,
  schema: Node,
  subresources: ["status"],
  rules: {
    // Unlike most kinds, upstream takes a node's status with its creation: the kubelet registers with it.
    status: true,
    statusOnCreate: true,
    selectableFields: { "spec.unschedulable": (node) => String(node.spec?.unschedulable === true) },
    validateUpdate: (node, before) => {
      const problems: FieldProblem[] = [];
      const { podCIDR, providerID } = before.spec ?? {};
      if (podCIDR !== undefined && podCIDR !== "" && node.spec?.podCIDR !== podCIDR) {
        problems.push(fieldForbidden("spec.podCIDR", 'node updates may not change podCIDR except from "" to valid'));
      }
      if (providerID !== undefined && providerID !== "" && node.spec?.providerID !== providerID) {
        problems.push(
          fieldForbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'),
        );
      }
      return problems;
    },
  },
});

import { defineKind } from "../../define-kind.ts";
import { roundToMilli } from "../pod/defaults/container-defaults.ts";
import { nodeTable } from "./node-table.ts";
import { nodes } from "./node-type.ts";
import { validateNode, validateNodeStatus, validateNodeUpdate } from "./node-validation.ts";
import { Node } from "./node.ts";

/** A field of the index that selectors may not name: the addresses of a node and of its pods. */
export const nodeNetworksField = "status.networks";

/** The addresses of a node, and the ranges of its pods. */
export interface NodeNetworks {
  readonly addresses: readonly string[];
  readonly podRanges: readonly string[];
}

export const nodeKind = defineKind<Node>({
  type: nodes,
  schema: Node,
  defaults: setNodeDefaults,
  validation: { validate: validateNode, update: validateNodeUpdate, status: validateNodeStatus },
  // Unlike for most kinds, upstream accepts a node's status at creation, because the kubelet
  // registers with it.
  strategy: { status: true, statusOnCreate: true },
  subresources: ["proxy", "status"],
  selectable: { "spec.unschedulable": (node) => String(node.spec?.unschedulable === true) },
  indexed: { [nodeNetworksField]: nodeNetworksText },
  table: nodeTable,
  exceptions: { nodeOf: ({ name }) => name },
});

/** Leaves out host names, because only addresses are compared. */
export function nodeNetworks({ spec, status }: Node): NodeNetworks {
  const addresses = (status?.addresses ?? []).filter(({ type }) => type === "InternalIP" || type === "ExternalIP");
  return {
    addresses: [...new Set(addresses.map(({ address }) => address))],
    podRanges: [...new Set([...(spec?.podCIDRs ?? []), spec?.podCIDR ?? ""])].filter((range) => range !== ""),
  };
}

/** Lists addresses and ranges together; only a range contains a slash. */
function nodeNetworksText(node: Node): string {
  const { addresses, podRanges } = nodeNetworks(node);
  return [...addresses, ...podRanges].join();
}

function setNodeDefaults({ spec, status }: Node): void {
  if (spec !== undefined && (spec.podCIDR ?? "") !== "" && spec.podCIDRs === undefined)
    spec.podCIDRs = [spec.podCIDR ?? ""];
  if (spec !== undefined && spec.podCIDR === undefined && spec.podCIDRs?.[0] !== undefined)
    spec.podCIDR = spec.podCIDRs[0];
  roundToMilli(status?.capacity);
  roundToMilli(status?.allocatable);
  if (status?.capacity !== undefined) status.allocatable ??= { ...status.capacity };
}

import { isDeepStrictEqual } from "node:util";
import { countedNoun, nodesMax } from "@kintsugi/api";
import { z } from "zod";
import { InvalidSpec } from "../invalid-spec.ts";
import { defineSetting, topologyField, wholeNumber } from "../setting.ts";
import { type NewNode, planNewNodes } from "./new-nodes.ts";
import { faultsOfGroups, NodeGroupText, nodesOfGroups } from "./node-groups.ts";
import type { NodeSpec } from "./node-spec.ts";

const defaultNodeCount = 3;

/** A number of equal nodes, or a list of nodes. */
type Nodes = number | readonly NewNode[];

export const nodesSetting = defineSetting({
  name: "nodes",
  help: `number of nodes (default ${defaultNodeCount})`,
  flag: { flags: "--nodes <count>", parse: wholeNumber({ min: 1, max: nodesMax }) as (text: string) => Nodes },
  field: topologyField({
    name: "nodes",
    schema: z.array(NodeGroupText).min(1),
    read: (groups): Nodes => nodesOfGroups(groups),
    faults: faultsOfGroups,
  }),
  combine() {
    throw new InvalidSpec("--nodes and the nodes of --config exclude each other");
  },
  store: (desired = defaultNodeCount): { nodes: readonly NodeSpec[] } => ({
    nodes: typeof desired === "number" ? numberedNodes(desired) : planNewNodes([], desired),
  }),
  contradiction({ nodes: present }, desired) {
    if (typeof desired !== "number") return sameNodes(present, desired) ? undefined : "other nodes";
    return desired === present.length ? undefined : `${countedNoun(present.length, "node")}, not ${desired}`;
  },
});

/** @throws InvalidSpec unless a cluster may have this number of nodes. */
export function numberedNodes(wanted: number): NodeSpec[] {
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > nodesMax)
    throw new InvalidSpec(`--nodes must be a whole number from 1 to ${nodesMax}, not ${wanted}`);
  return Array.from({ length: wanted }, (_, i) => ({ name: `node-${i + 1}`, index: i + 1 }));
}

/** Nodes that were added or removed later make the cluster differ from the setting. */
function sameNodes(present: readonly NodeSpec[], wanted: readonly NewNode[]): boolean {
  const registered = ({ labels, taints, kubeletArgs }: NewNode | NodeSpec) => ({ labels, taints, kubeletArgs });
  return (
    present.length === wanted.length &&
    wanted.every((node, index) => {
      const other = present[index];
      const sameName = node.name === undefined || node.name === other?.name;
      return other !== undefined && sameName && isDeepStrictEqual(registered(node), registered(other));
    })
  );
}

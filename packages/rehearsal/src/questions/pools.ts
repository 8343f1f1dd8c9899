import type { Node } from "@kintsugi/api";
import { UnreadableSource } from "../source/unreadable.ts";

/**
 * Labels with the pool of a node, of clouds and installers. The first such label of a node counts.
 */
const poolLabels = [
  "karpenter.sh/nodepool",
  "cloud.google.com/gke-nodepool",
  "eks.amazonaws.com/nodegroup",
  "alpha.eksctl.io/nodegroup-name",
  "kubernetes.azure.com/agentpool",
  "agentpool",
  "doks.digitalocean.com/node-pool",
  "kops.k8s.io/instancegroup",
] as const;

/** Installers without pools still set the role of a node: "node-role.kubernetes.io/worker". */
const rolePrefix = "node-role.kubernetes.io/";

/**
 * The pools of nodes, by the labels of clouds, or by roles if nodes do not have such labels.
 * @throws UnreadableSource if labels do not separate the pools.
 */
export function poolsOf(nodes: readonly Node[]): [pool: string, nodes: string[]][] {
  const byLabel = grouped(nodes, ({ metadata }) => poolLabels.flatMap((label) => metadata.labels?.[label] ?? [])[0]);
  const pools = byLabel.size > 0 ? byLabel : grouped(nodes, roleOf);
  if (pools.size === 0)
    throw new UnreadableSource(
      `no node has a pool label (${poolLabels.slice(0, 5).join(", ")}, …) or a role label (${rolePrefix}…), so the pools are unknown: ask about every node or every zone`,
    );
  return [...pools].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function roleOf({ metadata }: Node): string | undefined {
  const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(rolePrefix));
  return roles.toSorted()[0]?.slice(rolePrefix.length);
}

function grouped(nodes: readonly Node[], nameOf: (node: Node) => string | undefined): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const node of nodes) {
    const name = nameOf(node);
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), node.metadata.name ?? ""]);
  }
  return groups;
}

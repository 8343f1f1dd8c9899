import {
  findUntoleratedTaint,
  matchesLabels,
  nodeIsWanted,
  type Selector,
  toSelector,
  type TopologySpreadConstraint,
} from "@kintsugi/api";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";

/** One constraint of a pod, ready to be counted. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly minDomains: number;
  readonly honourAffinity: boolean;
  readonly honourTaints: boolean;
  readonly selector: Selector;
}

export function spreadConstraints(
  pod: PodInfo,
  when: TopologySpreadConstraint["whenUnsatisfiable"],
): readonly SpreadConstraint[] {
  return (pod.pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => ({
      maxSkew: constraint.maxSkew,
      topologyKey: constraint.topologyKey,
      minDomains: constraint.minDomains ?? 1,
      honourAffinity: (constraint.nodeAffinityPolicy ?? "Honor") === "Honor",
      honourTaints: (constraint.nodeTaintsPolicy ?? "Ignore") === "Honor",
      selector: selectorOf(pod, constraint),
    }));
}

/** The pods of the same kind that are on the node; those on their way out do not count. */
export function countMatching(node: NodeInfo, pod: PodInfo, selector: Selector): number {
  let count = 0;
  for (const placed of node.pods()) {
    if (placed.namespace === pod.namespace && !placed.isTerminating && matchesLabels(selector, placed.labels)) count++;
  }
  return count;
}

/**
 * Reports whether the constraint counts the node at all: its policies may leave out nodes on which
 * the pod cannot be placed.
 */
export function isCounted(constraint: SpreadConstraint, pod: PodInfo, node: NodeInfo): boolean {
  if (constraint.honourAffinity && !nodeIsWanted(pod.pod, node)) return false;
  if (!constraint.honourTaints) return true;
  const repelling = node.taints.filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute");
  return findUntoleratedTaint(repelling, pod.pod.spec?.tolerations) === undefined;
}

function selectorOf(pod: PodInfo, { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint): Selector {
  if (labelSelector === undefined) return toSelector(undefined);
  const matchExpressions = matchLabelKeys.flatMap((key) => {
    const value = pod.labels[key];
    return value === undefined ? [] : [{ key, operator: "In" as const, values: [value] }];
  });
  return toSelector({
    ...labelSelector,
    matchExpressions: [...(labelSelector.matchExpressions ?? []), ...matchExpressions],
  });
}

/** Only nodes that have the labels of all constraints are in a domain of any. */
export function hasAllKeys(node: NodeInfo, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => node.labels[topologyKey] !== undefined);
}

import {
  findUntoleratedTaint,
  matchesLabels,
  nodeIsWanted,
  type Selector,
  type Taint,
  toSelector,
  type TopologySpreadConstraint,
} from "@kintsugi/api";
import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { PodMatcher } from "../../cluster-state/counts/match-counts.ts";
import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";

/** One constraint of a pod, prepared for counting. */
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

/** Finds the pods that the constraint selects; terminating pods do not count. */
export function spreadMatcher({ namespace }: PodInfo, selector: Selector): PodMatcher {
  return {
    key: `spread ${JSON.stringify([namespace, selector])}`,
    matches: (placed) =>
      placed.namespace === namespace && !placed.isTerminating && matchesLabels(selector, placed.labels),
  };
}

/**
 * Reports whether all constraints count every node: policies do not exclude nodes, and each node
 * has the labels.
 */
export function countEveryNode(
  constraints: readonly SpreadConstraint[],
  { pod: { spec } }: PodInfo,
  snapshot: Snapshot,
): boolean {
  const isPicky = spec?.nodeSelector !== undefined || spec?.affinity?.nodeAffinity !== undefined;
  return constraints.every(({ topologyKey, honourAffinity, honourTaints }) => {
    if (honourTaints || (honourAffinity && isPicky)) return false;
    let labelled = 0;
    for (const nodes of snapshot.domainsOf(topologyKey).values()) labelled += nodes;
    return labelled === snapshot.nodes.length;
  });
}

/**
 * Reports whether the constraint counts the node. Its policies may exclude nodes on which the pod
 * cannot be placed.
 */
export function isCounted(constraint: SpreadConstraint, pod: PodInfo, node: NodeInfo): boolean {
  if (constraint.honourAffinity && !nodeIsWanted(pod.pod, node)) return false;
  if (!constraint.honourTaints) return true;
  return !isRepelled(pod, node.taints);
}

/** Reports whether one of the taints repels the pod. */
export function isRepelled({ pod }: PodInfo, taints: readonly Taint[]): boolean {
  const repelling = taints.filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute");
  return findUntoleratedTaint(repelling, pod.spec?.tolerations) !== undefined;
}

/** Domains that the pod requires and that are missing count as the emptiest. */
export function floorOf({ minDomains }: SpreadConstraint, domains: number, fewest: number): number {
  return domains < minDomains || domains === 0 ? 0 : fewest;
}

export function selfOf({ selector }: SpreadConstraint, { labels }: PodInfo): 0 | 1 {
  return matchesLabels(selector, labels) ? 1 : 0;
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

/** Only nodes that have the labels of all constraints belong to domains. */
export function hasAllKeys(node: NodeInfo, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => node.labels[topologyKey] !== undefined);
}

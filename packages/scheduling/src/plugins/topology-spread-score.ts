import { zoneLabel } from "@kintsugi/api";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import { type NodeScorer, scoreMax } from "../framework/plugin.ts";
import { DomainCounts } from "./domain-counts.ts";
import { hasAllKeys, isCounted, type SpreadConstraint, spreadConstraints, spreadMatcher } from "./spread-constraint.ts";

/** One wish to be spread, and how many pods count against a node. */
interface SpreadWish {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** The pods that count, by node. */
  readonly pods: Iterable<readonly [NodeInfo, number]>;
}

/**
 * Upstream's defaults for a pod without constraints: spread over zones a little, over nodes more.
 */
const defaultWishes = [
  { topologyKey: "kubernetes.io/hostname", maxSkew: 3 },
  { topologyKey: zoneLabel, maxSkew: 5 },
] as const;

/** Fewer pods of the same kind in a node's domains make the node better. */
export function prepareSpreadScore(
  pod: PodInfo,
  snapshot: Snapshot,
  feasible: readonly NodeInfo[],
): NodeScorer | "indifferent" {
  const constraints = spreadConstraints(pod, "ScheduleAnyway");
  const hasOwn = (pod.pod.spec?.topologySpreadConstraints ?? []).length > 0;
  const wishes = hasOwn
    ? constraints.map((constraint) => wishOf(pod, snapshot, constraint))
    : ownerWishes(pod, snapshot);
  if (wishes.length === 0) return "indifferent";
  // A pod's own constraints leave nodes without the labels out; the defaults make do with the
  // labels that are there.
  const isScored = (node: NodeInfo) => !hasOwn || hasAllKeys(node, constraints);
  const rules = wishes.map((wish) => weighed(wish, snapshot, feasible.filter(isScored)));
  return {
    score: (node) => (isScored(node) ? Math.round(rules.reduce((sum, rule) => sum + rule(node), 0)) : Number.NaN),
    rescale: (scores) => mirrored(scores),
  };
}

function wishOf(pod: PodInfo, snapshot: Snapshot, constraint: SpreadConstraint): SpreadWish {
  return {
    topologyKey: constraint.topologyKey,
    maxSkew: constraint.maxSkew,
    pods: matchingWhereCounted(pod, snapshot, constraint),
  };
}

function matchingWhereCounted(
  pod: PodInfo,
  snapshot: Snapshot,
  constraint: SpreadConstraint,
): (readonly [NodeInfo, number])[] {
  const matching = [...snapshot.matching(spreadMatcher(pod, constraint.selector))];
  return matching.filter(([node]) => node.node !== undefined && isCounted(constraint, pod, node));
}

/** The pods of the same controller are the ones to be spread. */
function ownerWishes({ ownerUid }: PodInfo, snapshot: Snapshot): readonly SpreadWish[] {
  if (ownerUid === undefined) return [];
  return defaultWishes.map((wish) => ({
    ...wish,
    pods: [...snapshot.nodesOfOwner(ownerUid)].map((node) => [node, node.podsOfOwner(ownerUid)] as const),
  }));
}

/**
 * Domains of a label that has many values weigh more than those of one that has few, so that both
 * count.
 */
function weighed(wish: SpreadWish, snapshot: Snapshot, scored: readonly NodeInfo[]): (node: NodeInfo) => number {
  const { topologyKey, maxSkew } = wish;
  const weight = Math.log(countDomains(topologyKey, snapshot, scored) + 2);
  const counts = new DomainCounts();
  counts.addAll(topologyKey, wish.pods, 1);
  return (node) => (node.labels[topologyKey] === undefined ? 0 : counts.of(topologyKey, node) * weight + (maxSkew - 1));
}

function countDomains(topologyKey: string, snapshot: Snapshot, scored: readonly NodeInfo[]): number {
  if (scored.length === snapshot.nodes.length) return snapshot.domainsOf(topologyKey).size;
  const values = new Set(scored.map((node) => node.labels[topologyKey]));
  values.delete(undefined);
  return values.size;
}

/** The fewest pods give the highest score. Nodes that are not scored get nothing. */
function mirrored(scores: readonly number[]): readonly number[] {
  let [lowest, highest] = [Infinity, -Infinity];
  for (const score of scores) {
    if (Number.isNaN(score)) continue;
    lowest = Math.min(lowest, score);
    highest = Math.max(highest, score);
  }
  return scores.map((score) => {
    if (Number.isNaN(score)) return 0;
    return highest === 0 ? scoreMax : Math.floor((scoreMax * (highest + lowest - score)) / highest);
  });
}

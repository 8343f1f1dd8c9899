import { zoneLabel, hostnameLabel } from "@kintsugi/api";
import type { NodeColumns } from "../../cluster-state/columns/node-columns.ts";
import { lazily } from "../../framework/lazily.ts";
import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import { type NodeScorer, scoreMax } from "../../framework/plugin.ts";
import { DomainCounts } from "../domain-counts.ts";
import { addByDomain, emptySums, type LabelSums } from "../domain-sums.ts";
import { constraintSums, labelledRows } from "./spread-rows.ts";
import { hasAllKeys, isCounted, type SpreadConstraint, spreadConstraints, spreadMatcher } from "./spread-constraint.ts";

/** One spread preference, and how many pods count against a node. */
interface SpreadPreference {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** The pods that count, by node. */
  pods(): Iterable<readonly [NodeInfo, number]>;
  /** The pods that count, by domain. */
  sums(columns: NodeColumns): LabelSums;
}

/**
 * Upstream's defaults for a pod without constraints: spread weakly over zones, and more strongly
 * over nodes.
 */
const defaultPreferences = [
  { topologyKey: hostnameLabel, maxSkew: 3 },
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
  const preferences = hasOwn
    ? constraints.map((constraint) => preferenceOf(pod, snapshot, constraint))
    : ownerPreferences(pod, snapshot);
  if (preferences.length === 0) return "indifferent";
  // A pod's own constraints exclude nodes without the labels; the defaults use the labels that
  // exist.
  const isScored = (node: NodeInfo) => !hasOwn || hasAllKeys(node, constraints);
  const rules = lazily(() => preferences.map((preference) => weighed(preference, snapshot, feasible.filter(isScored))));
  return {
    score: (node) => (isScored(node) ? Math.round(rules().reduce((sum, rule) => sum + rule(node), 0)) : Number.NaN),
    scoreRows: (columns, rows, scores) => {
      const scored = labelledRows(hasOwn ? constraints : [], columns);
      for (const preference of preferences) addPreference({ preference, columns, scored }, rows, scores);
      for (let i = 0; i < rows.length; i++)
        scores[i] = scored[rows[i] as number] === 1 ? Math.round(scores[i] as number) : Number.NaN;
    },
    rescale: mirror,
  };
}

interface PreferenceRows {
  readonly preference: SpreadPreference;
  readonly columns: NodeColumns;
  /** 1 for each row whose node is scored. */
  readonly scored: Uint8Array;
}

/** Does the same as `weighed`, and adds the result to the scores of the rows. */
function addPreference({ preference, columns, scored }: PreferenceRows, rows: Int32Array, scores: Float64Array): void {
  const { domains, sums } = preference.sums(columns);
  const isOpen = new Uint8Array(sums.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    if (scored[row] === 1) isOpen[domains[row] as number] = 1;
  }
  isOpen[0] = 0;
  let open = 0;
  for (let domain = 0; domain < isOpen.length; domain++) open += isOpen[domain] as number;
  const weight = weightOf(open);
  for (let i = 0; i < rows.length; i++) {
    const domain = domains[rows[i] as number] as number;
    if (domain !== 0)
      scores[i] = (scores[i] as number) + ((sums[domain] as number) * weight + (preference.maxSkew - 1));
  }
}

function preferenceOf(pod: PodInfo, snapshot: Snapshot, constraint: SpreadConstraint): SpreadPreference {
  return {
    topologyKey: constraint.topologyKey,
    maxSkew: constraint.maxSkew,
    pods: () => matchingWhereCounted(pod, snapshot, constraint),
    sums: (columns) => constraintSums(constraint, { pod, snapshot, columns, constraints: [constraint] }),
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

/** The pods of the same controller are spread. */
function ownerPreferences({ ownerUid }: PodInfo, snapshot: Snapshot): readonly SpreadPreference[] {
  if (ownerUid === undefined) return [];
  return defaultPreferences.map((preference) => ({
    ...preference,
    pods: () => snapshot.podsOfOwner(ownerUid),
    sums: (columns) => {
      const sums = emptySums(preference.topologyKey, columns);
      addByDomain(sums, snapshot.podsOfOwner(ownerUid), {});
      return sums;
    },
  }));
}

/**
 * Domains of a label with many values weigh more than domains of a label with few values, so that
 * all domains count.
 */
function weightOf(domains: number): number {
  return Math.log(domains + 2);
}

function weighed(
  preference: SpreadPreference,
  snapshot: Snapshot,
  scored: readonly NodeInfo[],
): (node: NodeInfo) => number {
  const { topologyKey, maxSkew } = preference;
  const weight = weightOf(countDomains(topologyKey, snapshot, scored));
  const counts = new DomainCounts();
  counts.addAll(topologyKey, preference.pods(), 1);
  return (node) => (node.labels[topologyKey] === undefined ? 0 : counts.of(topologyKey, node) * weight + (maxSkew - 1));
}

function countDomains(topologyKey: string, snapshot: Snapshot, scored: readonly NodeInfo[]): number {
  if (scored.length === snapshot.nodes.length) return snapshot.domainsOf(topologyKey).size;
  const values = new Set(scored.map((node) => node.labels[topologyKey]));
  values.delete(undefined);
  return values.size;
}

/** The fewest pods result in the highest score. Nodes that are not scored get 0. */
function mirror(scores: Float64Array): void {
  let lowest = Infinity;
  let highest = -Infinity;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] as number;
    if (Number.isNaN(score)) continue;
    lowest = Math.min(lowest, score);
    highest = Math.max(highest, score);
  }
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] as number;
    if (Number.isNaN(score)) scores[i] = 0;
    else scores[i] = highest === 0 ? scoreMax : Math.floor((scoreMax * (highest + lowest - score)) / highest);
  }
}

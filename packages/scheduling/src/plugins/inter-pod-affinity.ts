import { type AffinityTerm, termMatches, type WeightedAffinityTerm } from "../cluster-state/affinity-term.ts";
import { countMatching } from "../cluster-state/match-counts.ts";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import { matcherOf } from "../cluster-state/term-matcher.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { ClusterEvent } from "../cluster-state/cluster-event.ts";
import { type NodeFilter, type NodeScorer, type Plugin, scoreMax } from "../framework/plugin.ts";
import { doesNotFitNow, fits, neverFits } from "../framework/verdict.ts";
import { DomainCounts } from "./domain-counts.ts";

/**
 * A placed pod's required affinity attracts a matching pod with this weight (upstream's
 * hardPodAffinityWeight).
 */
const requiredAffinityAttraction = 1;

/** Pods that want to be near other pods, or far from them; also as those other pods see it. */
export const interPodAffinity: Plugin = {
  name: "InterPodAffinity",
  filter: (pod, snapshot) => {
    const unwanted = domainsThatRefuse(pod, snapshot);
    const wants = pod.requiredAffinity.length > 0 || pod.requiredAntiAffinity.length > 0;
    if (!wants && unwanted.isEmpty) return "anything";
    return filterOf(pod, snapshot, unwanted);
  },
  score: {
    weight: 2,
    prepare: (pod, snapshot) => {
      const domains = attraction(pod, snapshot);
      return domains.isEmpty ? "indifferent" : scorerOf(domains);
    },
  },
  mayHelp: (pod, event) => concerns(pod, event),
};

/** The domains that pods placed there keep this pod out of. */
function domainsThatRefuse(pod: PodInfo, snapshot: Snapshot): DomainCounts {
  const domains = new DomainCounts();
  const namespaceLabels = snapshot.namespaceLabels(pod.namespace);
  for (const { term, byNode } of snapshot.placedTerms("requiredAntiAffinity")) {
    if (termMatches(term, pod, namespaceLabels)) domains.addAll(term.topologyKey, byNode, 1);
  }
  return domains;
}

function filterOf(pod: PodInfo, snapshot: Snapshot, unwanted: DomainCounts): NodeFilter {
  const near = new DomainCounts();
  const far = new DomainCounts();
  const { requiredAffinity, requiredAntiAffinity } = pod;
  const [onlyTerm] = requiredAffinity;
  if (requiredAffinity.length === 1 && onlyTerm) near.addAll(onlyTerm.topologyKey, selected(onlyTerm, snapshot), 1);
  if (requiredAffinity.length > 1) {
    eachPlacedPod(snapshot, (placed, node) => {
      const labels = snapshot.namespaceLabels(placed.namespace);
      if (!requiredAffinity.every((term) => termMatches(term, placed, labels))) return;
      for (const term of requiredAffinity) near.add(term.topologyKey, node, 1);
    });
  }
  for (const term of requiredAntiAffinity) far.addAll(term.topologyKey, selected(term, snapshot), 1);
  // The first of a group of pods that want to be together has no other to be near to, and may go
  // anywhere.
  const ownLabels = snapshot.namespaceLabels(pod.namespace);
  const isFirst = near.isEmpty && requiredAffinity.every((term) => termMatches(term, pod, ownLabels));
  return {
    check: (node) => {
      if (!affinityHolds(requiredAffinity, node, isFirst ? undefined : near)) {
        return neverFits("node(s) didn't match pod affinity rules");
      }
      if (requiredAntiAffinity.some(({ topologyKey }) => far.of(topologyKey, node) > 0)) {
        return doesNotFitNow("node(s) didn't match pod anti-affinity rules");
      }
      if (unwanted.anyOf(node)) return doesNotFitNow("node(s) didn't satisfy existing pods anti-affinity rules");
      return fits;
    },
  };
}

/** `near` is undefined for the first of its group, which only needs the labels to be there. */
function affinityHolds(terms: readonly AffinityTerm[], node: NodeInfo, near: DomainCounts | undefined): boolean {
  return terms.every(({ topologyKey }) => {
    if (node.labels[topologyKey] === undefined) return false;
    return near === undefined || near.of(topologyKey, node) > 0;
  });
}

/**
 * Counts the attraction of each domain for the pod: by its own preferences, and by those of pods
 * that are there.
 */
function attraction(pod: PodInfo, snapshot: Snapshot): DomainCounts {
  const domains = new DomainCounts();
  const prefer = (terms: readonly WeightedAffinityTerm[], sign: 1 | -1) => {
    for (const { weight, term } of terms) domains.addAll(term.topologyKey, selected(term, snapshot), sign * weight);
  };
  prefer(pod.preferredAffinity, 1);
  prefer(pod.preferredAntiAffinity, -1);
  const ownLabels = snapshot.namespaceLabels(pod.namespace);
  for (const [kind, factor] of attractions) {
    for (const { term, weight, byNode } of snapshot.placedTerms(kind)) {
      if (termMatches(term, pod, ownLabels)) domains.addAll(term.topologyKey, byNode, factor * weight);
    }
  }
  return domains;
}

/** The factors by which the terms of placed pods attract a pod that they select. */
const attractions = [
  ["requiredAffinity", requiredAffinityAttraction],
  ["preferredAffinity", 1],
  ["preferredAntiAffinity", -1],
] as const;

/** The placed pods that the term selects, counted by node. */
function selected(term: AffinityTerm, snapshot: Snapshot): Iterable<readonly [NodeInfo, number]> {
  const matcher = matcherOf(term);
  if (matcher !== undefined) return snapshot.matching(matcher);
  const matches = (pod: PodInfo) => termMatches(term, pod, snapshot.namespaceLabels(pod.namespace));
  return snapshot.nodes.map((node) => [node, countMatching(node, { matches })] as const);
}

function scorerOf(domains: DomainCounts): NodeScorer {
  return {
    score: (node) => domains.sumOf(node),
    rescale: (scores) => {
      const lowest = scores.reduce((a, b) => Math.min(a, b), Infinity);
      const range = scores.reduce((a, b) => Math.max(a, b), -Infinity) - lowest;
      return scores.map((score) => (range === 0 ? 0 : Math.floor((scoreMax * (score - lowest)) / range)));
    },
  };
}

function eachPlacedPod(snapshot: Snapshot, visit: (pod: PodInfo, node: NodeInfo) => void): void {
  for (const node of snapshot.nodes) for (const pod of node.pods()) visit(pod, node);
}

function concerns(pod: PodInfo, event: ClusterEvent): boolean {
  switch (event.is) {
    case "NodeAdd":
      return true;
    case "NodeUpdate":
      return event.changed.labels;
    case "AssignedPodAdd":
      return pod.requiredAffinity.length > 0;
    case "AssignedPodUpdate":
    case "AssignedPodDelete":
      // Any pod that goes, or changes its labels, may be the one that was in the way.
      return true;
    default:
      return false;
  }
}

import { type AffinityTerm, termMatches, type WeightedAffinityTerm } from "../cluster-state/affinity-term.ts";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
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
      const wants = pod.preferredAffinity.length > 0 || pod.preferredAntiAffinity.length > 0;
      const domains = attraction(pod, snapshot, wants);
      return domains.isEmpty ? "indifferent" : scorerOf(domains);
    },
  },
  mayHelp: (pod, event) => concerns(pod, event),
};

/** The domains that pods placed there keep this pod out of. */
function domainsThatRefuse(pod: PodInfo, snapshot: Snapshot): DomainCounts {
  const domains = new DomainCounts();
  const namespaceLabels = snapshot.namespaceLabels(pod.namespace);
  for (const node of snapshot.nodesWithAffinity()) {
    for (const placed of node.podsWithAffinity()) {
      for (const term of placed.requiredAntiAffinity) {
        if (termMatches(term, pod, namespaceLabels)) domains.add(term.topologyKey, node, 1);
      }
    }
  }
  return domains;
}

function filterOf(pod: PodInfo, snapshot: Snapshot, unwanted: DomainCounts): NodeFilter {
  const near = new DomainCounts();
  const far = new DomainCounts();
  const { requiredAffinity, requiredAntiAffinity } = pod;
  if (requiredAffinity.length > 0 || requiredAntiAffinity.length > 0) {
    eachPlacedPod(snapshot, (placed, node) => {
      const labels = snapshot.namespaceLabels(placed.namespace);
      if (requiredAffinity.length > 0 && requiredAffinity.every((term) => termMatches(term, placed, labels))) {
        for (const term of requiredAffinity) near.add(term.topologyKey, node, 1);
      }
      for (const term of requiredAntiAffinity) {
        if (termMatches(term, placed, labels)) far.add(term.topologyKey, node, 1);
      }
    });
  }
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
function attraction(pod: PodInfo, snapshot: Snapshot, wants: boolean): DomainCounts {
  const domains = new DomainCounts();
  const ownLabels = snapshot.namespaceLabels(pod.namespace);
  const weigh = (placed: PodInfo, node: NodeInfo) => {
    const placedLabels = snapshot.namespaceLabels(placed.namespace);
    const add = (terms: readonly WeightedAffinityTerm[], sign: number, towards: PodInfo) => {
      const labels = towards === placed ? placedLabels : ownLabels;
      for (const { weight, term } of terms) {
        if (termMatches(term, towards, labels)) domains.add(term.topologyKey, node, sign * weight);
      }
    };
    add(pod.preferredAffinity, 1, placed);
    add(pod.preferredAntiAffinity, -1, placed);
    for (const term of placed.requiredAffinity) {
      if (termMatches(term, pod, ownLabels)) domains.add(term.topologyKey, node, requiredAffinityAttraction);
    }
    add(placed.preferredAffinity, 1, pod);
    add(placed.preferredAntiAffinity, -1, pod);
  };
  if (wants) eachPlacedPod(snapshot, weigh);
  else
    for (const node of snapshot.nodesWithAffinity()) for (const placed of node.podsWithAffinity()) weigh(placed, node);
  return domains;
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
    case "NodeDelete":
      return false;
    case "AssignedPodAdd":
      return pod.requiredAffinity.length > 0;
    case "AssignedPodUpdate":
    case "AssignedPodDelete":
      // Any pod that goes, or changes its labels, may be the one that was in the way.
      return true;
  }
}

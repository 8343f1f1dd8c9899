import { type AffinityTerm, termMatches, type WeightedAffinityTerm } from "../../cluster-state/affinity-term.ts";
import { lazily } from "../../framework/lazily.ts";
import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import type { ClusterEvent } from "../../cluster-state/cluster-event.ts";
import { type NodeFilter, type NodeScorer, type Plugin, scoreMax } from "../../framework/plugin.ts";
import { doesNotFitNow, fits, neverFits } from "../../framework/verdict.ts";
import { DomainCounts } from "../domain-counts.ts";
import { attractionSums, refusingSums, rejectByAffinity, scoreAttraction, selectsItself } from "./affinity-rows.ts";
import { attractions, selected, selectedByAll } from "./selected-pods.ts";

/**
 * Affinity and anti-affinity between pods, including the terms of placed pods that concern this
 * pod.
 */
export const interPodAffinity: Plugin = {
  name: "InterPodAffinity",
  filter: (pod, snapshot) => {
    const { columns } = snapshot;
    const wants = pod.requiredAffinity.length > 0 || pod.requiredAntiAffinity.length > 0;
    if (columns === undefined) {
      const refusing = domainsThatRefuse(pod, snapshot);
      return !wants && refusing.isEmpty ? "anything" : { check: checkOf(pod, snapshot, refusing) };
    }
    const unwanted = refusingSums(pod, snapshot, columns);
    if (!wants && unwanted.isEmpty) return "anything";
    const check = lazily(() => checkOf(pod, snapshot, domainsThatRefuse(pod, snapshot)));
    return {
      check: (node) => check()(node),
      rejectRows: (_, rows) => rejectByAffinity({ pod, snapshot, columns, unwanted }, rows),
    };
  },
  score: {
    weight: 2,
    prepare: (pod, snapshot) => {
      const { columns } = snapshot;
      const domains = lazily(() => attraction(pod, snapshot));
      const scorer = { score: (node: NodeInfo) => domains().sumOf(node), rescale: spreadOut };
      if (columns === undefined) return domains().isEmpty ? "indifferent" : scorer;
      const sums = attractionSums(pod, snapshot, columns);
      if (sums.isEmpty) return "indifferent";
      return { ...scorer, scoreRows: (_, rows, scores) => scoreAttraction(sums, rows, scores) } satisfies NodeScorer;
    },
  },
  mayHelp: (pod, event) => concerns(pod, event),
};

/** The domains from which already placed pods repel this pod. */
function domainsThatRefuse(pod: PodInfo, snapshot: Snapshot): DomainCounts {
  const domains = new DomainCounts();
  const namespaceLabels = snapshot.namespaceLabels(pod.namespace);
  for (const { term, byNode } of snapshot.placedTerms("requiredAntiAffinity")) {
    if (termMatches(term, pod, namespaceLabels)) domains.addAll(term.topologyKey, byNode, 1);
  }
  return domains;
}

function checkOf(pod: PodInfo, snapshot: Snapshot, unwanted: DomainCounts): NodeFilter["check"] {
  const near = new DomainCounts();
  const far = new DomainCounts();
  const { requiredAffinity, requiredAntiAffinity } = pod;
  if (requiredAffinity.length > 0) {
    const placed = selectedByAll(requiredAffinity, snapshot);
    for (const { topologyKey } of requiredAffinity) near.addAll(topologyKey, placed, 1);
  }
  for (const term of requiredAntiAffinity) far.addAll(term.topologyKey, selected(term, snapshot), 1);
  const isFirst = near.isEmpty && selectsItself(requiredAffinity, pod, snapshot);
  return (node) => {
    if (!affinityHolds(requiredAffinity, node, isFirst ? undefined : near)) {
      return neverFits({ code: "PodAffinity" });
    }
    if (requiredAntiAffinity.some(({ topologyKey }) => far.of(topologyKey, node) > 0)) {
      return doesNotFitNow({ code: "PodAntiAffinity" });
    }
    if (unwanted.anyOf(node)) return doesNotFitNow({ code: "ExistingAntiAffinity" });
    return fits;
  };
}

/** `near` is undefined for the first pod of its group, which only needs nodes with the labels. */
function affinityHolds(terms: readonly AffinityTerm[], node: NodeInfo, near: DomainCounts | undefined): boolean {
  return terms.every(({ topologyKey }) => {
    if (node.labels[topologyKey] === undefined) return false;
    return near === undefined || near.of(topologyKey, node) > 0;
  });
}

/**
 * Counts the attraction of each domain for the pod: by its own preferences, and by the preferences
 * of placed pods.
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

/** Scales scores so that the lowest is 0 and the highest 100. */
function spreadOut(scores: Float64Array): void {
  let lowest = Infinity;
  let highest = -Infinity;
  for (let i = 0; i < scores.length; i++) {
    lowest = Math.min(lowest, scores[i] as number);
    highest = Math.max(highest, scores[i] as number);
  }
  const range = highest - lowest;
  for (let i = 0; i < scores.length; i++)
    scores[i] = range === 0 ? 0 : Math.floor((scoreMax * ((scores[i] as number) - lowest)) / range);
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
      // Any pod that is removed, or changes its labels, may be the pod that prevented the
      // placement.
      return true;
    default:
      return false;
  }
}

import { type AffinityTerm, termMatches, type WeightedAffinityTerm } from "../../cluster-state/affinity-term.ts";
import type { NodeColumns } from "../../cluster-state/columns/node-columns.ts";
import type { RejectedRows } from "../../cluster-state/columns/rejected-rows.ts";
import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import { DomainSums, type LabelSums } from "../domain-sums.ts";
import { attractions, selected, selectedByAll } from "./selected-pods.ts";

// The affinities between pods in passes over columns.

/** The domains from which already placed pods repel this pod. */
export function refusingSums(pod: PodInfo, snapshot: Snapshot, columns: NodeColumns): DomainSums {
  const sums = new DomainSums(columns);
  const namespaceLabels = snapshot.namespaceLabels(pod.namespace);
  for (const { term, byNode } of snapshot.placedTerms("requiredAntiAffinity")) {
    if (termMatches(term, pod, namespaceLabels)) sums.add(term.topologyKey, byNode, 1);
  }
  return sums;
}

interface AffinityRows {
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  readonly columns: NodeColumns;
  /** The domains that reject the pod. */
  readonly unwanted: DomainSums;
}

/** Rejects the rows on which a required affinity or anti-affinity does not hold. */
export function rejectByAffinity({ pod, snapshot, columns, unwanted }: AffinityRows, rejected: RejectedRows): void {
  const { requiredAffinity, requiredAntiAffinity } = pod;
  if (requiredAffinity.length > 0) rejectFar({ pod, snapshot, columns }, rejected);
  const far = new DomainSums(columns);
  for (const term of requiredAntiAffinity) far.add(term.topologyKey, selected(term, snapshot), 1);
  for (const sums of [...far.all(), ...unwanted.all()]) rejectCounted(sums, rejected);
}

function rejectFar({ pod, snapshot, columns }: Omit<AffinityRows, "unwanted">, rejected: RejectedRows): void {
  const { requiredAffinity } = pod;
  const near = new DomainSums(columns);
  const placed = selectedByAll(requiredAffinity, snapshot);
  for (const { topologyKey } of requiredAffinity) near.add(topologyKey, placed, 1);
  const isFirst = near.isEmpty && selectsItself(requiredAffinity, pod, snapshot);
  for (const { domains, sums } of near.all()) {
    for (let row = 0; row < rejected.limit; row++) {
      const domain = domains[row] as number;
      if (domain === 0 || (!isFirst && (sums[domain] as number) === 0)) rejected.add(row);
    }
  }
}

/**
 * Reports whether the pod belongs to the group that its terms select. The first pod of such a group
 * cannot be near another pod, and may be placed anywhere.
 */
export function selectsItself(terms: readonly AffinityTerm[], pod: PodInfo, snapshot: Snapshot): boolean {
  const labels = snapshot.namespaceLabels(pod.namespace);
  return terms.every((term) => termMatches(term, pod, labels));
}

function rejectCounted({ domains, sums }: LabelSums, rejected: RejectedRows): void {
  for (let row = 0; row < rejected.limit; row++) {
    const domain = domains[row] as number;
    if (domain !== 0 && (sums[domain] as number) > 0) rejected.add(row);
  }
}

/** The attraction of each domain for the pod. */
export function attractionSums(pod: PodInfo, snapshot: Snapshot, columns: NodeColumns): DomainSums {
  const attraction = new DomainSums(columns);
  const prefer = (terms: readonly WeightedAffinityTerm[], sign: 1 | -1) => {
    for (const { weight, term } of terms) attraction.add(term.topologyKey, selected(term, snapshot), sign * weight);
  };
  prefer(pod.preferredAffinity, 1);
  prefer(pod.preferredAntiAffinity, -1);
  const ownLabels = snapshot.namespaceLabels(pod.namespace);
  for (const [kind, factor] of attractions) {
    for (const { term, weight, byNode } of snapshot.placedTerms(kind)) {
      if (termMatches(term, pod, ownLabels)) attraction.add(term.topologyKey, byNode, factor * weight);
    }
  }
  return attraction;
}

/** Writes the total attraction for the pod to each row. */
export function scoreAttraction(attraction: DomainSums, rows: Int32Array, scores: Float64Array): void {
  for (const { domains, sums } of attraction.all()) {
    for (let i = 0; i < rows.length; i++) {
      const domain = domains[rows[i] as number] as number;
      if (domain !== 0) scores[i] = (scores[i] as number) + (sums[domain] as number);
    }
  }
}

import { type AffinityTerm, termMatches } from "../../cluster-state/affinity-term.ts";
import { countMatching } from "../../cluster-state/counts/match-counts.ts";
import type { PodsByNode } from "../../cluster-state/counts/pods-by-node.ts";
import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import { matcherOf, matcherOfAll } from "../../cluster-state/counts/term-matcher.ts";

/**
 * A placed pod's required affinity attracts a matching pod with this weight (upstream's
 * hardPodAffinityWeight).
 */
const requiredAffinityAttraction = 1;

/** The factors by which the terms of placed pods attract a pod that they select. */
export const attractions = [
  ["requiredAffinity", requiredAffinityAttraction],
  ["preferredAffinity", 1],
  ["preferredAntiAffinity", -1],
] as const;

/** The placed pods that the term selects, counted by node. */
export function selected(term: AffinityTerm, snapshot: Snapshot): PodsByNode {
  const matcher = matcherOf(term);
  if (matcher !== undefined) return snapshot.matching(matcher);
  return counted(snapshot, (pod) => termMatches(term, pod, snapshot.namespaceLabels(pod.namespace)));
}

/** The placed pods that each of the terms selects, counted by node. */
export function selectedByAll(terms: readonly AffinityTerm[], snapshot: Snapshot): PodsByNode {
  const matcher = matcherOfAll(terms);
  if (matcher !== undefined) return snapshot.matching(matcher);
  return counted(snapshot, (pod) => {
    const labels = snapshot.namespaceLabels(pod.namespace);
    return terms.every((term) => termMatches(term, pod, labels));
  });
}

function counted({ nodes }: Snapshot, matches: (pod: PodInfo) => boolean): PodsByNode {
  return nodes.map((node) => [node, countMatching(node, { matches })] as const);
}

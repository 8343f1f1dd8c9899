import { type AffinityTerm, selectedKey, termMatches } from "../affinity-term.ts";
import type { PodMatcher } from "./match-counts.ts";

/**
 * Returns a matcher for the pods that the term selects; undefined if the selection depends on the
 * labels of namespaces, which change independently of the pods.
 */
export function matcherOf(term: AffinityTerm): PodMatcher | undefined {
  if (term.namespaceSelector.nothing !== true) return undefined;
  return { key: `term ${selectedKey(term)}`, matches: (pod) => termMatches(term, pod, undefined) };
}

/** `matcherOf` for the pods that each of several terms selects. */
export function matcherOfAll(terms: readonly AffinityTerm[]): PodMatcher | undefined {
  const [only, ...others] = terms;
  if (only !== undefined && others.length === 0) return matcherOf(only);
  if (terms.some(({ namespaceSelector }) => namespaceSelector.nothing !== true)) return undefined;
  return {
    key: `terms ${JSON.stringify(terms.map(selectedKey).toSorted())}`,
    matches: (pod) => terms.every((term) => termMatches(term, pod, undefined)),
  };
}

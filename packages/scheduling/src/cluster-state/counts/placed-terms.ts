import { type AffinityTerm, termKey } from "../affinity-term.ts";
import { KeptPodsByNode, type PodsByNode } from "./pods-by-node.ts";
import type { NodeInfo } from "../node-info.ts";
import type { PodInfo } from "../pod-info.ts";

export type TermKind = "requiredAffinity" | "requiredAntiAffinity" | "preferredAffinity" | "preferredAntiAffinity";

/** One term, and how many placed pods of each node have it. */
export interface PlacedTerm {
  readonly term: AffinityTerm;
  /** 1 for a required term. */
  readonly weight: number;
  readonly byNode: PodsByNode;
}

/**
 * The affinity terms of placed pods. Each term is stored once however many pods have it, because
 * pods of one template have the same terms.
 */
export class PlacedTerms {
  readonly #byKind: Readonly<Record<TermKind, Map<string, PlacedTerm & { byNode: KeptPodsByNode }>>> = {
    requiredAffinity: new Map(),
    requiredAntiAffinity: new Map(),
    preferredAffinity: new Map(),
    preferredAntiAffinity: new Map(),
  };

  of(kind: TermKind): Iterable<PlacedTerm> {
    return this.#byKind[kind].values();
  }

  changed(info: NodeInfo, pod: PodInfo, by: 1 | -1): void {
    for (const { kind, term, weight } of termsOf(pod)) {
      const terms = this.#byKind[kind];
      const key = `${weight} ${termKey(term)}`;
      let placed = terms.get(key);
      if (placed === undefined) terms.set(key, (placed = { term, weight, byNode: new KeptPodsByNode() }));
      placed.byNode.add(info, by);
      if (placed.byNode.size === 0) terms.delete(key);
    }
  }
}

export function termsOf(pod: PodInfo): { kind: TermKind; term: AffinityTerm; weight: number }[] {
  const required = (kind: "requiredAffinity" | "requiredAntiAffinity") =>
    pod[kind].map((term) => ({ kind, term, weight: 1 }));
  const preferred = (kind: "preferredAffinity" | "preferredAntiAffinity") =>
    pod[kind].map(({ term, weight }) => ({ kind, term, weight }));
  return [
    ...required("requiredAffinity"),
    ...required("requiredAntiAffinity"),
    ...preferred("preferredAffinity"),
    ...preferred("preferredAntiAffinity"),
  ];
}

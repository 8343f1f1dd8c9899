import {
  type LabelSelector,
  matchesLabels,
  type Pod,
  type PodAffinityTerm,
  type Selector,
  toSelector,
} from "@kintsugi/api";

type Labels = Readonly<Record<string, string>>;

/** A PodAffinityTerm prepared for matching: the pods that it selects, and its topology label. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Selector;
}

export interface WeightedAffinityTerm {
  readonly weight: number;
  readonly term: AffinityTerm;
}

export function affinityTermOf(pod: Pod, term: PodAffinityTerm): AffinityTerm {
  const named = term.namespaces ?? [];
  const ownNamespaceOnly = named.length === 0 && term.namespaceSelector === undefined;
  return {
    topologyKey: term.topologyKey,
    selector: toSelector(withLabelKeys(pod, term)),
    namespaces: new Set(ownNamespaceOnly ? [pod.metadata.namespace ?? ""] : named),
    namespaceSelector: toSelector(term.namespaceSelector),
  };
}

/** Reports whether the term selects the pod with these labels in that namespace. */
export function termMatches(
  term: AffinityTerm,
  pod: { namespace: string; labels: Labels },
  namespaceLabels: Labels | undefined,
): boolean {
  const inNamespace =
    term.namespaces.has(pod.namespace) || matchesLabels(term.namespaceSelector, namespaceLabels ?? {});
  return inNamespace && matchesLabels(term.selector, pod.labels);
}

/** Terms with the same key select the same pods over the same topology label. */
export function termKey(term: AffinityTerm): string {
  return JSON.stringify([term.topologyKey, selectedKey(term), term.namespaceSelector]);
}

/** Terms with the same key and the same selector of namespaces select the same pods. */
export function selectedKey({ namespaces, selector }: AffinityTerm): string {
  return JSON.stringify([[...namespaces].toSorted(), selector]);
}

/** matchLabelKeys and mismatchLabelKeys compare with the labels of the pod that has the term. */
function withLabelKeys(pod: Pod, term: PodAffinityTerm): LabelSelector | undefined {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (labelSelector === undefined) return undefined;
  const labels = pod.metadata.labels ?? {};
  const compared = (keys: readonly string[], operator: "In" | "NotIn") =>
    keys.flatMap((key) => {
      const value = labels[key];
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  return {
    ...labelSelector,
    matchExpressions: [
      ...(labelSelector.matchExpressions ?? []),
      ...compared(matchLabelKeys, "In"),
      ...compared(mismatchLabelKeys, "NotIn"),
    ],
  };
}

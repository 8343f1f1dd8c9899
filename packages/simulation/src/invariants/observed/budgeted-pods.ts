import { matchesLabels, type Pod, type PodDisruptionBudget, toSelector } from "@kintsugi/api";

/** Returns the pods that a budget selects, healthy or not. */
export function podsOfBudget({ metadata, spec }: PodDisruptionBudget, pods: Iterable<Pod>): Pod[] {
  const selector = toSelector(spec?.selector);
  return [...pods].filter(
    (pod) => pod.metadata.namespace === metadata.namespace && matchesLabels(selector, pod.metadata.labels),
  );
}

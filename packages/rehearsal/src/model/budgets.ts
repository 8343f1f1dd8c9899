import { matchesLabels, type Pod, type PodDisruptionBudget, scaledCount, toSelector } from "@kintsugi/api";

export function budgetSelects(budget: PodDisruptionBudget, pod: Pod): boolean {
  if (budget.metadata.namespace !== pod.metadata.namespace) return false;
  return matchesLabels(toSelector(budget.spec?.selector), pod.metadata.labels);
}

/**
 * The number of pods that a budget requires to be available, if the workload wants `wanted` pods.
 */
export function keeps({ spec }: PodDisruptionBudget, wanted: number): number {
  if (spec?.minAvailable !== undefined) return scaledCount(spec.minAvailable, wanted, "up");
  if (spec?.maxUnavailable !== undefined) return Math.max(0, wanted - scaledCount(spec.maxUnavailable, wanted, "up"));
  return 0;
}

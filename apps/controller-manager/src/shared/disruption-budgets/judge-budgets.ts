import { isPodActive, isPodReady, type Pod, type PodDisruptionBudget } from "@kintsugi/api";
import { dependsOnScale, desiredHealthy, selects } from "./desired-healthy.ts";
import type { FindScale } from "./owner-scales.ts";

export interface BudgetView {
  /** Every pod of the namespace. */
  pods: readonly Pod[];
  findScale: FindScale;
  /** UIDs of pods that are being evicted, though `pods` may not show it yet. */
  leaving: ReadonlySet<string>;
}

export type BudgetVerdict = { allowed: true } | { allowed: false; because: string };

/**
 * Decides whether the budgets allow the eviction of this pod. The eviction of a pod that is already
 * down is always allowed, because a budget protects only pods that serve. The eviction of a Ready
 * pod is allowed only if enough healthy pods remain.
 */
export function judgeBudgets(pod: Pod, budgets: readonly PodDisruptionBudget[], view: BudgetView): BudgetVerdict {
  if (!isPodReady(pod)) return { allowed: true };
  for (const budget of budgets) {
    const isSelected = selects(budget);
    if (budget.metadata.namespace !== pod.metadata.namespace || !isSelected(pod)) continue;
    const because = refusal(
      budget,
      view.pods.filter((other) => isPodActive(other) && isSelected(other)),
      view,
    );
    if (because !== undefined)
      return { allowed: false, because: `PodDisruptionBudget ${budget.metadata.name ?? ""} ${because}` };
  }
  return { allowed: true };
}

/**
 * The pods whose controllers' scales decide whether these budgets allow the eviction of this pod.
 */
export function podsThatCount(pod: Pod, budgets: readonly PodDisruptionBudget[], pods: readonly Pod[]): Pod[] {
  if (!isPodReady(pod)) return [];
  const tests = budgets
    .filter(dependsOnScale)
    .map(selects)
    .filter((isSelected) => isSelected(pod));
  return pods.filter((other) => isPodActive(other) && tests.some((isSelected) => isSelected(other)));
}

/** Explains, from the budget's status, why the budget does not allow an eviction. */
function refusal(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { findScale, leaving }: BudgetView,
): string | undefined {
  const asked = desiredHealthy(budget, pods, findScale);
  if (!asked.isKnown) return `allows nothing: ${asked.because}`;
  if (asked.expectedPods === 0) return "allows nothing: no controller requests any of its pods";
  const desired = asked.desiredHealthy;
  const healthy = pods.filter((other) => isPodReady(other) && !leaving.has(other.metadata.uid ?? "")).length;
  if (healthy - 1 < desired) return `requires ${desired} healthy pods and has ${healthy}`;
  return undefined;
}

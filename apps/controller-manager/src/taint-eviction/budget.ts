import { isPodActive, isPodReady, type Pod, type PodDisruptionBudget } from "@kintsugi/api";
import { desiredHealthy, selects, type WantedReplicas } from "../disruption/desired-healthy.ts";

export interface BudgetView {
  /** Every pod of the namespace. */
  pods: readonly Pod[];
  wantedReplicas: WantedReplicas;
  /** UIDs of pods that are being evicted, though `pods` may not show it yet. */
  leaving: ReadonlySet<string>;
}

export type BudgetVerdict = { allowed: true } | { allowed: false; budget: string; healthy: number; desired: number };

/**
 * Whether the budgets allow this pod to go. A pod that is down already is never held back: nothing that a budget protects
 * is lost with it. One that is Ready goes only if enough healthy ones are left.
 */
export function judgeBudgets(pod: Pod, budgets: readonly PodDisruptionBudget[], view: BudgetView): BudgetVerdict {
  if (!isPodReady(pod)) return { allowed: true };
  for (const budget of budgets) {
    const isSelected = selects(budget);
    if (budget.metadata.namespace !== pod.metadata.namespace || !isSelected(pod)) continue;
    const pods = view.pods.filter((other) => isPodActive(other) && isSelected(other));
    const healthy = pods.filter((other) => isPodReady(other) && !view.leaving.has(other.metadata.uid ?? "")).length;
    const desired = desiredHealthy(budget, pods, view.wantedReplicas);
    if (healthy - 1 < desired) return { allowed: false, budget: budget.metadata.name ?? "", healthy, desired };
  }
  return { allowed: true };
}

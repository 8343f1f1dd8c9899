import { matchesLabels, type PodDisruptionBudget, toSelector } from "@kintsugi/api";
import type { PodInfo } from "../cluster-state/pod-info.ts";

/**
 * Splits pods by whether taking all of them, in their order, would break a budget: the one that a
 * budget has no room left for, and those after it. A preemption may break budgets if there is no
 * other way; it avoids it.
 */
export function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { breaking: readonly PodInfo[]; allowed: readonly PodInfo[] } {
  const rooms = budgets.map((budget) => ({
    namespace: budget.metadata.namespace,
    selector: toSelector(budget.spec?.selector),
    evictionsBegun: budget.status?.disruptedPods ?? {},
    allowed: budget.status?.disruptionsAllowed ?? 0,
  }));
  const breaking: PodInfo[] = [];
  const allowed: PodInfo[] = [];
  for (const pod of pods) {
    let breaks = false;
    for (const room of rooms) {
      // Upstream does the same: here an empty selector selects nothing, and pods without labels are
      // in no budget.
      if (room.namespace !== pod.namespace || room.selector.requirements.length === 0) continue;
      if (Object.keys(pod.labels).length === 0 || !matchesLabels(room.selector, pod.labels)) continue;
      // The budget counts it as gone already.
      if (Object.hasOwn(room.evictionsBegun, pod.pod.metadata.name ?? "")) continue;
      if (--room.allowed < 0) breaks = true;
    }
    (breaks ? breaking : allowed).push(pod);
  }
  return { breaking, allowed };
}

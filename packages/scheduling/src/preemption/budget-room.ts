import { matchesLabels, type PodDisruptionBudget, toSelector } from "@kintsugi/api";
import type { PodInfo } from "../cluster-state/pod-info.ts";

/**
 * Splits pods by whether evicting all of them, in their order, would violate a budget. A preemption
 * may violate budgets only as a last resort. A pod violates a budget that does not allow further
 * disruptions.
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
      // An empty selector does not select pods, as in upstream, and budgets do not apply to pods
      // without labels.
      if (room.namespace !== pod.namespace || room.selector.requirements.length === 0) continue;
      if (Object.keys(pod.labels).length === 0 || !matchesLabels(room.selector, pod.labels)) continue;
      // The budget already counts the pod as disrupted.
      if (Object.hasOwn(room.evictionsBegun, pod.pod.metadata.name ?? "")) continue;
      if (--room.allowed < 0) breaks = true;
    }
    (breaks ? breaking : allowed).push(pod);
  }
  return { breaking, allowed };
}

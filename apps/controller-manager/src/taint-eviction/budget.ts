import {
  controllerOf,
  isPodActive,
  isPodReady,
  matchesLabels,
  type Pod,
  type PodDisruptionBudget,
  toSelector,
} from "@kintsugi/api";

/** How many pods the controller with this UID is meant to have; undefined if that is not known. */
export type WantedReplicas = (controllerUid: string) => number | undefined;

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
    const selector = toSelector(budget.spec?.selector);
    if (budget.metadata.namespace !== pod.metadata.namespace) continue;
    if (!matchesLabels(selector, pod.metadata.labels)) continue;
    const pods = view.pods.filter((other) => isPodActive(other) && matchesLabels(selector, other.metadata.labels));
    const healthy = pods.filter((other) => isPodReady(other) && !view.leaving.has(other.metadata.uid ?? "")).length;
    const desired = desiredHealthy(budget, pods, view.wantedReplicas);
    if (healthy - 1 < desired) return { allowed: false, budget: budget.metadata.name ?? "", healthy, desired };
  }
  return { allowed: true };
}

/** As upstream's disruption controller: a minimum in pods counts as it is, everything else refers to the wanted replicas. */
export function desiredHealthy(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  wantedReplicas: WantedReplicas,
): number {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (maxUnavailable !== undefined) {
    const expected = expectedPods(pods, wantedReplicas);
    return Math.max(0, expected - scaled(maxUnavailable, expected));
  }
  if (typeof minAvailable === "number") return minAvailable;
  // A budget that says nothing means that one pod at least stays.
  return minAvailable === undefined ? 1 : scaled(minAvailable, expectedPods(pods, wantedReplicas));
}

/** How many pods the controllers of these want; one that nobody manages counts as itself. */
export function expectedPods(pods: readonly Pod[], wantedReplicas: WantedReplicas): number {
  const controllers = new Set<string>();
  let expected = 0;
  for (const pod of pods) {
    const uid = controllerOf(pod)?.uid;
    const wanted = uid === undefined ? undefined : wantedReplicas(uid);
    if (uid === undefined || wanted === undefined) expected++;
    else if (!controllers.has(uid)) {
      controllers.add(uid);
      expected += wanted;
    }
  }
  return expected;
}

/** "50%" of the total, rounded up, or the number itself. */
function scaled(value: number | string, total: number): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value);
  return percent ? Math.ceil((Number(percent[1]) * total) / 100) : Number(value);
}

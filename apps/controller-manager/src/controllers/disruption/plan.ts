import {
  disruptedSince,
  formatTimestamp,
  isPodReady,
  isPodTerminal,
  type Pod,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  withCondition,
} from "@kintsugi/api";
import { dependsOnScale, desiredHealthy, selects } from "../../shared/disruption-budgets/desired-healthy.ts";
import type { FindScale } from "../../shared/disruption-budgets/owner-scales.ts";

export interface BudgetPlan {
  status: PodDisruptionBudgetStatus;
  /** The reason why the budget cannot be computed. */
  failure?: string;
  /** Names of pods whose controller does not have a number of replicas. */
  unmanaged: readonly string[];
  /** Pods whose eviction was allowed long ago, and that still exist. */
  notDeleted: readonly Pod[];
  /** The longest time until an evicted pod has to be deleted; undefined without evicted pods. */
  recheckAfterMs: number | undefined;
}

export interface BudgetSurroundings {
  /** Pods of the namespace, including all pods that the budget selects. */
  pods: readonly Pod[];
  findScale: FindScale;
  nowMs: number;
}

/**
 * Upstream's DeletionTimeout: an eviction has failed if its pod is not marked for deletion after
 * this time, and the pod counts again.
 */
const deletionPatienceMs = 120_000;

/**
 * Computes the number of evictions that a budget allows, like upstream's disruption controller.
 * Each eviction decrements it (apps/api-server, eviction.ts).
 */
export function planBudget(budget: PodDisruptionBudget, around: BudgetSurroundings): BudgetPlan {
  const selected = countedPods(budget, around.pods);
  const { disruptedPods, notDeleted, recheckAfterMs } = givenAway(budget, selected, around.nowMs);
  const isHealthy = (pod: Pod) =>
    isPodReady(pod) && pod.metadata.deletionTimestamp === undefined && !Object.hasOwn(disruptedPods, nameOf(pod));
  const currentHealthy = selected.filter(isHealthy).length;
  const desired = desiredHealthy(budget, selected, around.findScale);
  if (!desired.isKnown) return failSafe(budget, desired.because, around.nowMs);
  const { expectedPods, unmanaged } = desired;
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desired.desiredHealthy) : 0;
  const { generation } = budget.metadata;
  const condition = {
    type: "DisruptionAllowed",
    status: disruptionsAllowed > 0 ? "True" : "False",
    reason: disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods",
    message: "",
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  } as const;
  const status = {
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy: desired.desiredHealthy,
    expectedPods,
    conditions: withCondition(budget.status?.conditions, condition, around.nowMs),
  };
  return { status, unmanaged, notDeleted, recheckAfterMs };
}

/** The pods whose controllers' scales affect the plan. */
export function podsWithScale(budget: PodDisruptionBudget, pods: readonly Pod[]): readonly Pod[] {
  return dependsOnScale(budget) ? countedPods(budget, pods) : [];
}

function countedPods(budget: PodDisruptionBudget, pods: readonly Pod[]): Pod[] {
  const isSelected = selects(budget);
  return pods.filter((pod) => !isPodTerminal(pod) && isSelected(pod));
}

/** Evictions are refused where the budget cannot be computed; the other figures do not change. */
function failSafe({ status = {} }: PodDisruptionBudget, failure: string, nowMs: number): BudgetPlan {
  const { observedGeneration } = status;
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "SyncFailed",
    message: failure,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  } as const;
  const conditions = withCondition(status.conditions, condition, nowMs);
  return {
    status: { ...status, disruptionsAllowed: 0, conditions },
    failure,
    unmanaged: [],
    notDeleted: [],
    recheckAfterMs: undefined,
  };
}

/** Pods whose eviction was allowed, but whose deletion is not visible yet. */
function givenAway({ status }: PodDisruptionBudget, selected: readonly Pod[], nowMs: number) {
  const disruptedPods: Record<string, string> = {};
  const notDeleted: Pod[] = [];
  let recheckAfterMs: number | undefined;
  for (const pod of selected) {
    const sinceMs = disruptedSince(status, pod, nowMs);
    if (sinceMs === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
    const restMs = sinceMs + deletionPatienceMs - nowMs;
    if (restMs < 0) {
      notDeleted.push(pod);
      continue;
    }
    disruptedPods[nameOf(pod)] = formatTimestamp(sinceMs);
    // One millisecond is added, so that the timeout is over when the next pass runs.
    recheckAfterMs = Math.min(recheckAfterMs ?? Infinity, restMs + 1);
  }
  return { disruptedPods, notDeleted, recheckAfterMs };
}

function nameOf({ metadata }: Pod): string {
  return metadata.name ?? "";
}

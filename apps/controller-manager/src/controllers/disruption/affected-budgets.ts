import {
  controllerOf,
  type Deployment,
  formatKey,
  keyOf,
  type Pod,
  type PodDisruptionBudget,
  type ReplicaSet,
  type ReplicationController,
  sameJson,
  type StatefulSet,
} from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { selects } from "../../shared/disruption-budgets/desired-healthy.ts";

/**
 * The keys of the budgets for which a pod counts, or counted before it changed.
 *
 * @param budgets the budgets of the pod's namespace
 */
export function budgetsOfPod(change: InformerChange<Pod>, budgets: readonly PodDisruptionBudget[]): string[] {
  const keysOf = (pod: Pod) => budgets.filter((budget) => selects(budget)(pod)).map(budgetKey);
  const keys = keysOf(change.object);
  if (change.type !== "modified" || sameJson(change.before.metadata.labels, change.object.metadata.labels)) return keys;
  return [...keys, ...keysOf(change.before)];
}

/**
 * The keys of the budgets that depend on the number of wanted pods: percentages and maxUnavailable
 * refer to that number.
 *
 * @param budgets the budgets of the owner's namespace
 */
export function budgetsOfOwner(
  change:
    | InformerChange<ReplicaSet>
    | InformerChange<Deployment>
    | InformerChange<StatefulSet>
    | InformerChange<ReplicationController>,
  budgets: readonly PodDisruptionBudget[],
): string[] {
  if (change.type === "modified" && countsAsBefore(change.before, change.object)) return [];
  return budgets.map(budgetKey);
}

type Scaled = ReplicaSet | Deployment | StatefulSet | ReplicationController;

function countsAsBefore(before: Scaled, after: Scaled): boolean {
  return before.spec?.replicas === after.spec?.replicas && controllerOf(before)?.uid === controllerOf(after)?.uid;
}

function budgetKey(budget: PodDisruptionBudget): string {
  return formatKey(keyOf(budget));
}

import {
  type ApiObject,
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

/** The keys of the budgets that a pod counts for, or did before it changed. */
export function budgetsOfPod(change: InformerChange<Pod>, budgets: readonly PodDisruptionBudget[]): string[] {
  const keysOf = (pod: Pod) =>
    budgets.filter((budget) => isInNamespaceOf(budget, pod) && selects(budget)(pod)).map(budgetKey);
  const keys = keysOf(change.object);
  if (change.type !== "modified" || sameJson(change.before.metadata.labels, change.object.metadata.labels)) return keys;
  return [...keys, ...keysOf(change.before)];
}

/**
 * The keys of the budgets that depend on how many pods are wanted: percentages and maxUnavailable
 * refer to that.
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
  return budgets.filter((budget) => isInNamespaceOf(budget, change.object)).map(budgetKey);
}

export function isInNamespaceOf(budget: PodDisruptionBudget, { metadata }: ApiObject): boolean {
  return budget.metadata.namespace === metadata.namespace;
}

type Scaled = ReplicaSet | Deployment | StatefulSet | ReplicationController;

function countsAsBefore(before: Scaled, after: Scaled): boolean {
  return before.spec?.replicas === after.spec?.replicas && controllerOf(before)?.uid === controllerOf(after)?.uid;
}

function budgetKey(budget: PodDisruptionBudget): string {
  return formatKey(keyOf(budget));
}

import {
  type ApiObject,
  deployments,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods, indexedReplicaSets } from "../../shared/indexed-kinds.ts";
import { indexedBudgets } from "../../shared/disruption-budgets/indexed-budgets.ts";
import { budgetsOfOwner, budgetsOfPod } from "./affected-budgets.ts";
import { BudgetReconciler } from "./reconciler.ts";
import { disruptionRole } from "@kintsugi/rules";

/**
 * Updates the status of each PodDisruptionBudget. Without a current status, every eviction of the
 * selected pods is rejected.
 */
export const disruptionController = defineController({
  name: "disruption",
  options: {},
  roles: [disruptionRole],
  events: "controllermanager",
  reads: [indexedBudgets, indexedPods, indexedReplicaSets],
  optional: [deployments, statefulSets, replicationControllers],
  create(context) {
    const budgets = context.informers.of(podDisruptionBudgets);
    const near = ({ metadata }: ApiObject) => budgets.byIndex("namespace", metadata.namespace ?? "");
    const reconciler = new BudgetReconciler(context);
    return {
      workers: 1,
      keys: podDisruptionBudgets,
      watches: [
        on(podDisruptionBudgets),
        on(pods, (change) => budgetsOfPod(change, near(change.object))),
        on(replicaSets, (change) => budgetsOfOwner(change, near(change.object))),
        on(statefulSets, (change) => budgetsOfOwner(change, near(change.object))),
        on(replicationControllers, (change) => budgetsOfOwner(change, near(change.object))),
        on(deployments, (change) => budgetsOfOwner(change, near(change.object))),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

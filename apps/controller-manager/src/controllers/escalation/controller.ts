import { avoidedNodes, controllerOf, formatKey, type Pod, pods } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { nodeControllerRole, podEvictionRole } from "@kintsugi/rules";
import { budgetReadings } from "../../shared/disruption-budgets/eviction-budgets.ts";
import { evictionBudgetOptions } from "../../shared/disruption-budgets/options.ts";
import { indexedPods, indexedReplicaSets } from "../../shared/indexed-kinds.ts";
import { isReplacementNeeded } from "../../shared/replacement-needed.ts";
import { EscalationReconciler } from "./reconciler.ts";

/**
 * Number of owners whose pods are replaced concurrently. Each costs a list and an occasional
 * deletion.
 */
const workers = 2;

/**
 * This project's controller deletes pods that restarts on their node did not repair
 * (`kintsugi.dev/escalation`), so that their owner makes new pods.
 */
export const escalationController = defineController({
  name: "escalation",
  options: evictionBudgetOptions,
  roles: [nodeControllerRole, podEvictionRole],
  events: "escalation-controller",
  reads: [indexedPods, indexedReplicaSets],
  optional: budgetReadings,
  create(context) {
    const replacements = context.metrics.counter({
      name: "kintsugi_escalation_pod_replacements_total",
      help: "Number of pods deleted because no restart on their node has helped them.",
    });
    const reconciler = new EscalationReconciler({ context, onReplaced: () => replacements.add(1) });
    const inNeed = () => context.informers.of(pods).list().filter(isReplacementNeeded);
    return {
      workers,
      keys: () => inNeed().flatMap(ownerKeys),
      watches: [
        on(pods, ({ type, object: pod }) => {
          if (type === "deleted" || pod.metadata.deletionTimestamp !== undefined) reconciler.forget(pod);
          const matters = isReplacementNeeded(pod) || avoidedNodes(pod).length > 0;
          return ownerKeys(pod).filter((key) => matters || reconciler.isWaiting(key));
        }),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

/**
 * `<namespace>/<uid of the owner>`; undefined for a pod that a deletion would not move to another
 * node.
 */
function ownerKeys(pod: Pod): string[] {
  const owner = controllerOf(pod);
  if (!owner || owner.kind === "DaemonSet" || owner.kind === "Node") return [];
  return [formatKey({ namespace: pod.metadata.namespace ?? "", name: owner.uid })];
}

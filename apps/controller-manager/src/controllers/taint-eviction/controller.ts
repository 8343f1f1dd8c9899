import { formatKey, keyOf, type Node, nodes, noExecuteTaints, type Pod, pods, sameJson } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { nodeControllerRole, podEvictionRole } from "@kintsugi/rules";
import { budgetReadings } from "../../shared/disruption-budgets/eviction-budgets.ts";
import { evictionBudgetOptions } from "../../shared/disruption-budgets/options.ts";
import { evictionMetrics } from "../../shared/eviction-metrics.ts";
import { indexedPods, indexedReplicaSets } from "../../shared/indexed-kinds.ts";
import { TaintEvictionReconciler } from "./reconciler.ts";

/** Upstream's UpdateWorkerSize. */
const workers = 8;

const names = { prefix: "taint_eviction_controller", controller: "TaintEvictionController" };

/** Evicts pods from nodes with NoExecute taints that they do not, or no longer, tolerate. */
export const taintEvictionController = defineController({
  name: "taint-eviction",
  options: evictionBudgetOptions,
  roles: [nodeControllerRole, podEvictionRole],
  events: "taint-eviction-controller",
  reads: [nodes, indexedPods, indexedReplicaSets],
  optional: budgetReadings,
  create(context) {
    const reconciler = new TaintEvictionReconciler({ context, onEvicted: evictionMetrics(context, names) });
    const podsOn = (node: Node) => context.informers.of(pods).byIndex("node", node.metadata.name ?? "");
    return {
      queue: "taint_eviction",
      workers,
      keys: pods,
      watches: [
        on(nodes, (change) => (changesTaints(change) ? podsOn(change.object).map((pod) => formatKey(keyOf(pod))) : [])),
        on(pods, (change) => {
          const pod = change.object;
          const isGoing = change.type === "deleted" || pod.metadata.deletionTimestamp !== undefined;
          if (isGoing) reconciler.forget(pod);
          return !isGoing && pod.spec?.nodeName && matters(change) ? [formatKey(keyOf(pod))] : [];
        }),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

function changesTaints(change: InformerChange<Node>): boolean {
  const taints = noExecuteTaints(change.object.spec?.taints);
  const before = change.type === "modified" ? noExecuteTaints(change.before.spec?.taints) : [];
  return change.type === "deleted" || !sameJson(taints, before);
}

/** Only a pod's node and its tolerations matter; its kubelet's reports do not. */
function matters(change: InformerChange<Pod>): boolean {
  if (change.type !== "modified") return true;
  const { before, object } = change;
  if (before.spec?.nodeName !== object.spec?.nodeName || before.metadata.uid !== object.metadata.uid) return true;
  return !sameJson(before.spec?.tolerations, object.spec?.tolerations);
}

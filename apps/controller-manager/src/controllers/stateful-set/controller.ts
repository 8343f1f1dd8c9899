import {
  controllerOf,
  controllerRevisions,
  findCondition,
  type Node,
  nodes,
  persistentVolumeClaims,
  type Pod,
  pods,
  statefulSets,
} from "@kintsugi/api";
import { on, owns } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods, indexedRevisions } from "../../shared/indexed-kinds.ts";
import { statefulSetOptions } from "./options.ts";
import { StatefulSetReconciler } from "./reconciler.ts";
import { statefulSetRole } from "@kintsugi/rules";

/** Maintains the pods of each StatefulSet: one pod for each ordinal, in order, and never two. */
export const statefulSetController = defineController({
  name: "statefulset",
  options: statefulSetOptions,
  roles: [statefulSetRole],
  events: "statefulset-controller",
  reads: [statefulSets, indexedPods, indexedRevisions, persistentVolumeClaims, nodes],
  create(context) {
    const reconciler = new StatefulSetReconciler(context);
    return {
      workers: context.options.concurrentStatefulSetSyncs,
      keys: statefulSets,
      watches: [
        on(statefulSets),
        owns(pods, statefulSets),
        owns(controllerRevisions, statefulSets),
        on(nodes, (change) => {
          const before = change.type === "modified" ? change.before : undefined;
          if (before !== undefined && readyOf(before) === readyOf(change.object)) return [];
          const onNode = context.informers.of(pods).byIndex("node", change.object.metadata.name ?? "");
          return onNode.flatMap(setKeyOf);
        }),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

function readyOf({ status }: Node): string | undefined {
  return findCondition(status?.conditions, "Ready")?.status;
}

function setKeyOf(pod: Pod): string[] {
  const owner = controllerOf(pod);
  return owner?.kind === statefulSets.kind ? [`${pod.metadata.namespace}/${owner.name}`] : [];
}

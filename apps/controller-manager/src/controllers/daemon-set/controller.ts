import {
  controllerOf,
  controllerRevisions,
  daemonSets,
  nodes,
  type Pod,
  pods,
  controllerRevisionHashLabel,
} from "@kintsugi/api";
import { on, owns, reading } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods, indexedRevisions } from "../../shared/indexed-kinds.ts";
import { targetNodeOf } from "./daemon-pod.ts";
import { DaemonWriter } from "./daemon-writer.ts";
import { daemonSetOptions } from "./options.ts";
import { DaemonSetReconciler } from "./reconciler.ts";
import { daemonSetRole } from "@kintsugi/rules";
import { SetLedgers } from "./set-ledgers.ts";

/** The pods of a set by their node, and by the hash of their revision. */
const daemonPods = reading(pods, {
  daemonNode: (pod) => ofOwner(pod, targetNodeOf(pod)),
  daemonHash: (pod) => ofOwner(pod, pod.metadata.labels?.[controllerRevisionHashLabel]),
});

/** Runs one pod of each DaemonSet on every node that its template allows. */
export const daemonSetController = defineController({
  name: "daemonset",
  options: daemonSetOptions,
  roles: [daemonSetRole],
  events: "daemonset-controller",
  reads: [daemonSets, nodes, indexedPods, daemonPods, indexedRevisions],
  create(context) {
    const ledgers = new SetLedgers(context);
    const writer = new DaemonWriter(context);
    const reconciler = new DaemonSetReconciler({ context, ledgers, writer });
    return {
      workers: context.options.concurrentDaemonSetSyncs,
      keys: daemonSets,
      watches: [
        on(daemonSets, (change) => ledgers.noteSet(change)),
        on(nodes, (change) => ledgers.noteNode(change)),
        on(pods, (change) => ledgers.notePod(change)),
        owns(controllerRevisions, daemonSets),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

function ofOwner(pod: Pod, value: string | undefined): string[] {
  const owner = controllerOf(pod);
  return owner?.kind !== "DaemonSet" || value === undefined ? [] : [`${owner.uid}/${value}`];
}

import { pods, type ReplicaSet, replicaSets } from "@kintsugi/api";
import { Expectations, on, owns } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods, indexedReplicaSets } from "../../shared/indexed-kinds.ts";
import { replicaSetOptions } from "./options.ts";
import { ReplicaSetReconciler, setKey } from "./reconciler.ts";
import { endsUnstarted, ReplacementPace } from "./replacement-pace.ts";
import { ReplicaWriter } from "./replica-writer.ts";
import { replicaSetRole } from "./role.ts";

/** Keeps the number of each ReplicaSet's pods. */
export const replicaSetController = defineController({
  name: "replicaset",
  options: replicaSetOptions,
  roles: [replicaSetRole],
  events: "replicaset-controller",
  reads: [indexedReplicaSets, indexedPods],
  create(context) {
    const expectations = new Expectations(context);
    const pace = new ReplacementPace(context);
    const writer = new ReplicaWriter({ ...context, expectations });
    const reconciler = new ReplicaSetReconciler({ context, expectations, pace, writer });
    return {
      workers: context.options.concurrentReplicaSetSyncs,
      keys: replicaSets,
      watches: [
        on(replicaSets, (change) => {
          const { type, object } = change;
          if (type === "deleted" || (type === "modified" && !isSame(change.before, object)))
            expectations.reset(setKey(object));
          return [setKey(object)];
        }),
        owns(pods, replicaSets, (change, key) => {
          const { type, object: pod } = change;
          if (type === "deleted") reconciler.noteLost(key, pod);
          const isGoing = type === "deleted" || pod.metadata.deletionTimestamp !== undefined;
          const isUnmade = isGoing && expectations.deletionObserved(key, pod.metadata.uid ?? "");
          if (!isUnmade && endsUnstarted(change)) pace.noteUnstarted(key);
          // A pod that has come and gone before it was seen was created all the same.
          expectations.creationObserved(key, pod.metadata.name ?? "");
        }),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

function isSame(a: ReplicaSet, b: ReplicaSet): boolean {
  return a.metadata.uid === b.metadata.uid;
}

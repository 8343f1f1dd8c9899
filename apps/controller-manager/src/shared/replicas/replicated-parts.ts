import { type ApiObject, formatKey, keyOf, pods } from "@kintsugi/api";
import { type ControllerParts, Expectations, on, ownsSelected } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { ReplicaSetReconciler } from "./reconciler.ts";
import type { ReplicatedKind } from "./replicated-kind.ts";
import { endsUnstarted, ReplacementPace } from "./replacement-pace.ts";
import { ReplicaWriter } from "./replica-writer.ts";

/** The queue, watches and reconciler of one kind whose objects maintain a number of equal pods. */
export function replicatedParts<T extends ApiObject>(
  context: ControllerContext,
  kind: ReplicatedKind<T>,
  workers: number,
): ControllerParts {
  const expectations = new Expectations(context);
  const pace = new ReplacementPace(context);
  const writer = new ReplicaWriter({ ...context, ownerType: kind.type, expectations });
  const reconciler = new ReplicaSetReconciler({ kind, context, expectations, pace, writer });
  return {
    workers,
    keys: kind.type,
    watches: [
      on(kind.type, (change) => {
        const key = formatKey(keyOf(change.object));
        const isAnother = change.type === "modified" && change.before.metadata.uid !== change.object.metadata.uid;
        if (change.type === "deleted" || isAnother) expectations.reset(key);
        return [key];
      }),
      ownsSelected(pods, kind.type, {
        selectorOf: (owner) => kind.asSet(owner).spec?.selector,
        observe: (change, key) => {
          const { type, object: pod } = change;
          if (type === "deleted") reconciler.noteLost(key, pod);
          const isGoing = type === "deleted" || pod.metadata.deletionTimestamp !== undefined;
          const isUnmade = isGoing && expectations.deletionObserved(key, pod.metadata.uid ?? "");
          if (!isUnmade && endsUnstarted(change)) pace.noteUnstarted(key);
          // A pod that was deleted before the cache received it was created nevertheless.
          expectations.creationObserved(key, pod.metadata.name ?? "");
        },
      }),
    ],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

import { namespaces, pods } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { namespaceOptions } from "./options.ts";
import { NamespaceReconciler } from "./reconciler.ts";
import { namespaceRole } from "@kintsugi/rules";

/** Emptying a namespace with many objects takes long, in many short calls. */
const reconcileTimeLimitMs = 600_000;

/** Empties namespaces that are being deleted, then removes their finalizer. */
export const namespaceController = defineController({
  name: "namespace",
  options: namespaceOptions,
  roles: [namespaceRole],
  reads: [namespaces, indexedPods],
  create(context) {
    const known = context.informers.of(namespaces);
    const reconciler = new NamespaceReconciler(context);
    const ifDeleting = (name: string) =>
      known.find({ namespace: "", name })?.metadata.deletionTimestamp === undefined ? [] : [name];
    return {
      workers: context.options.concurrentNamespaceSyncs,
      reconcileTimeLimitMs,
      keys: namespaces,
      watches: [
        on(namespaces, ({ type, object: { metadata } }) =>
          type === "deleted" || metadata.deletionTimestamp === undefined ? [] : [metadata.name ?? ""],
        ),
        // Most deletions of a namespace wait for its last pod.
        on(pods, ({ type, object }) => (type === "deleted" ? ifDeleting(object.metadata.namespace ?? "") : [])),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

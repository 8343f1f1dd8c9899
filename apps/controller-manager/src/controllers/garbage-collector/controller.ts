import type { ResourceType } from "@kintsugi/api";
import { isSameKind, on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { applyToGraph } from "./graph-changes.ts";
import { garbageCollectorOptions } from "./options.ts";
import { OtherKinds } from "./other-kinds.ts";
import { OwnerComplaints } from "./owner-complaints.ts";
import { OwnerGraph } from "./owner-graph.ts";
import { OwnerLookup } from "./owner-lookup.ts";
import { GarbageReconciler } from "./reconciler.ts";
import { garbageCollectorRole } from "@kintsugi/rules";

/**
 * Deletes objects that have outlived all their owners, and deletes objects with dependents in the
 * requested order.
 */
export const garbageCollector = defineController({
  name: "garbage-collector",
  options: garbageCollectorOptions,
  roles: [garbageCollectorRole],
  events: "garbage-collector-controller",
  reads: collectedKinds,
  create(context) {
    const { client, enqueue, log, options } = context;
    const kinds = collectedKinds(context.served);
    const graph = new OwnerGraph();
    const complaints = new OwnerComplaints(context);
    const others = new OtherKinds(context, {
      isKnown: (type) => type.resource === "events" || kinds.some((known) => isSameKind(known, type)),
      onChange: (type, change) => applyToGraph(graph, type, change),
      // Owners of the kind were assumed to exist; now their existence can be checked.
      onServed: (type) => graph.ownedByKind(type),
      // The objects of a removed kind are no longer known, so their dependents are left unchanged.
      onGone: (type) => graph.forgetKind(type),
    });
    const lookup = new OwnerLookup({
      client,
      graph,
      served: () => [...kinds, ...others.types()],
      onInvalidNamespace: (object, owner) => complaints.invalidNamespace(object, owner),
      onUnknownKind: (object, owner) => complaints.unknownKind(object, owner),
    });
    const reconciler = new GarbageReconciler({ client, graph, lookup, log, enqueue });
    return {
      queue: "garbage_collector_attempt_to_delete",
      workers: options.concurrentGcSyncs,
      keys: () => graph.uids(),
      // Existing objects are reported immediately, so the graph is complete before the first object
      // is judged.
      watches: [...kinds.map((type) => on(type, (change) => applyToGraph(graph, type, change))), others],
      reconcile: (uid, signal) => reconciler.reconcile(uid, signal),
    };
  },
});

/** Events have no dependents and expire by themselves; they would only fill the graph. */
function collectedKinds(served: readonly ResourceType[]): readonly ResourceType[] {
  return served.filter((type) => type.resource !== "events");
}

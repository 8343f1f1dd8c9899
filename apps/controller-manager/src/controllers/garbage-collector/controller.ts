import { type ApiObject, apiVersionOf, type OwnerReference, type ResourceType, sameJson } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { type Controller, QueueController } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import type { RecordEvent } from "../../shared/events/event-note.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { type GraphObject, graphObject, OwnerGraph, orphansDependents, waitsForDependents } from "./owner-graph.ts";
import { describeOwner, OwnerLookup } from "./owner-lookup.ts";
import { GarbageReconciler } from "./reconciler.ts";

/** Deletes what has outlived all its owners, and lets objects with dependents go in the order that was asked for. */
export class GarbageCollector implements Controller {
  readonly name = "garbage-collector";
  readonly #context: ControllerContext;
  readonly #recordEvent: RecordEvent;
  readonly #graph = new OwnerGraph();
  readonly #queue: QueueController;
  /** Events own nothing and end by themselves; their number would only fill the graph. */
  readonly #types: readonly ResourceType[];
  /** Kinds of owners that are not served, so that each is said once. */
  readonly #unknownKinds = new Set<string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    const { client, informers, log, options, served } = context;
    this.#types = served.filter((type) => type.resource !== "events");
    for (const type of this.#types) informers.of(type);
    this.#recordEvent = context.eventsAs("garbage-collector-controller");
    const lookup = new OwnerLookup({
      client,
      graph: this.#graph,
      served: this.#types,
      onInvalidNamespace: (object, owner) => this.#tellInvalidNamespace(object, owner),
      onUnknownKind: (object, owner) => this.#tellUnknownKind(object, owner),
    });
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: new GarbageReconciler({
          client,
          graph: this.#graph,
          lookup,
          log,
          enqueue: (uid) => this.#queue.enqueue(uid),
        }),
        allKeys: () => this.#graph.uids(),
      },
      { name: "garbage_collector_attempt_to_delete", workers: options.concurrentGcSyncs },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    // What is there already is handed over at once, so the graph is whole before the first object is judged.
    const stops = this.#types.map((type) =>
      this.#context.informers.of(type).onChange((change) => this.#onChange(type, change)),
    );
    await whileListening(stops, this.#queue.run(signal));
  }

  #onChange(type: ResourceType, change: InformerChange<ApiObject>): void {
    const object = graphObject(type, change.object);
    const before = this.#graph.find(object.uid);
    if (change.type === "deleted") {
      const dependents = this.#graph.dependentsOf(object.uid);
      this.#graph.remove(object.uid);
      for (const dependent of dependents) this.#queue.enqueue(dependent.uid);
    } else {
      this.#graph.put(object);
      const isPending = waitsForDependents(object) || orphansDependents(object);
      const hasNewOwners = object.owners.length > 0 && !sameJson(before?.owners, object.owners);
      const wasRefused = before !== undefined && object.owners.some((owner) => this.#isMissing(owner));
      if (isPending || hasNewOwners || wasRefused) this.#queue.enqueue(object.uid);
    }
    this.#wakeOwners(before, change.type === "deleted" ? undefined : object);
  }

  /** An owner that waits for its dependents may go on when one of them has changed its mind, or has gone. */
  #wakeOwners(before: GraphObject | undefined, now: GraphObject | undefined): void {
    if (now && sameJson(before?.owners, now.owners) && before?.isDeleting === now.isDeleting) return;
    for (const { uid } of [...(before?.owners ?? []), ...(now?.owners ?? [])]) {
      const owner = this.#graph.find(uid);
      if (owner?.isDeleting) this.#queue.enqueue(uid);
    }
  }

  #isMissing(owner: OwnerReference): boolean {
    const found = this.#graph.find(owner.uid);
    return !found || waitsForDependents(found);
  }

  #tellInvalidNamespace(object: GraphObject, owner: OwnerReference): void {
    const { type, namespace, name, uid } = object;
    const about = { apiVersion: apiVersionOf(type), kind: type.kind, namespace, name, uid };
    const message = `ownerRef ${describeOwner(object, owner)} does not exist in namespace "${namespace}"`;
    this.#recordEvent({ about, type: "Warning", reason: "OwnerRefInvalidNamespace", message });
  }

  #tellUnknownKind(object: GraphObject, owner: OwnerReference): void {
    const kind = `${owner.apiVersion}/${owner.kind}`;
    if (this.#unknownKinds.has(kind)) return;
    this.#unknownKinds.add(kind);
    this.#context.log.warn("owners of a kind that is not served are taken to be there", {
      kind,
      for: `${object.namespace}/${object.name}`,
    });
  }
}

import { isApiError, type Logger, type OwnerReference } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import { type GraphObject, graphObject, type OwnerGraph } from "./owner-graph.ts";
import { describeObject, type OwnerLookup } from "./owner-lookup.ts";
import { type CollectionPlan, planDeleting, planOwned } from "./plan.ts";

/**
 * The delay until the next inspection of an object whose owner is on the server but not in the
 * graph.
 */
const graphBehindMs = 30_000;

export interface GarbageReconcilerDeps {
  client: Client;
  graph: OwnerGraph;
  lookup: OwnerLookup;
  log: Logger;
  enqueue: (uid: string) => void;
}

/** Decides about one object: whether it has outlived its owners, or blocks its own deletion. */
export class GarbageReconciler implements Reconciler {
  readonly #deps: GarbageReconcilerDeps;

  constructor(deps: GarbageReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(uid: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { graph, lookup } = this.#deps;
    const object = graph.find(uid);
    if (!object) return done;
    const dependents = graph.dependentsOf(uid);
    if (object.isDeleting) {
      await this.#perform(object, planDeleting(object, dependents));
      return done;
    }
    if (object.owners.length === 0) return done;
    const { stateOf, isGraphBehind } = await lookup.look(object, signal);
    await this.#perform(object, planOwned({ object, dependents, stateOf }));
    return isGraphBehind ? { retryAfterMs: graphBehindMs } : done;
  }

  async #perform(object: GraphObject, plan: CollectionPlan): Promise<void> {
    switch (plan.type) {
      case "nothing":
        return;
      case "delete":
        return this.#delete(object, plan);
      case "drop-owners":
        return this.#patch(object, { ownerReferences: plan.owners });
      case "delete-dependents":
        for (const { uid } of plan.dependents) this.#deps.enqueue(uid);
        return;
      case "release-dependents":
        // The finalizer is removed when the graph no longer contains dependents; the removal of
        // each dependent wakes the owner again.
        for (const dependent of plan.dependents) await this.#release(dependent, object.uid);
        return;
      case "finish":
        return this.#finish(object, plan.finalizer);
    }
  }

  async #delete(object: GraphObject, plan: Extract<CollectionPlan, { type: "delete" }>): Promise<void> {
    const { client, log } = this.#deps;
    const { type, namespace, name, uid } = object;
    if (plan.unblock) {
      const unblocked = object.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
      // The deletion follows when the graph contains the unblocked object, because it depends on
      // the judged version.
      if (object.owners.some((owner) => owner.blockOwnerDeletion)) {
        return this.#patch(object, { ownerReferences: unblocked });
      }
    }
    const preconditions = { uid, resourceVersion: object.resourceVersion };
    try {
      await client.delete(type, { namespace, name }, { propagationPolicy: plan.propagation, preconditions });
      log.info("garbage collected", { object: describeObject(object), propagation: plan.propagation });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  }

  /** Removes the reference to one owner from the object's present version. */
  async #release(dependent: GraphObject, ownerUid: string): Promise<void> {
    const { type, namespace, name, uid } = dependent;
    const live = await this.#deps.client.find(type, { namespace, name });
    if (live?.metadata.uid !== uid) return;
    const current = graphObject(type, live);
    const ownerReferences = current.owners.filter((owner) => owner.uid !== ownerUid);
    if (ownerReferences.length < current.owners.length) await this.#patch(current, { ownerReferences });
  }

  async #finish(object: GraphObject, finalizer: string): Promise<void> {
    const finalizers = object.finalizers.filter((other) => other !== finalizer);
    await this.#patch(object, { finalizers });
  }

  /** Changes the metadata of exactly the object that was inspected. */
  async #patch(
    object: GraphObject,
    change: { ownerReferences?: readonly OwnerReference[]; finalizers?: readonly string[] },
  ): Promise<void> {
    const { type, namespace, name, uid, resourceVersion } = object;
    const lists = Object.entries(change).map(([field, list]) => [field, list.length === 0 ? null : list]);
    const metadata = { uid, resourceVersion, ...(Object.fromEntries(lists) as object) };
    try {
      await this.#deps.client.patch(type, { namespace, name }, { type: "merge", body: { metadata } });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  }
}

import { type ApiObject, isApiError, namespaces, type ResourceType } from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";

/** One object that every namespace has. */
export interface NamespaceObject<T extends ApiObject> {
  type: ResourceType<T>;
  objectName: string;
  /** Returns the object as it should be; undefined when `current` suffices. */
  plan(namespace: string, current: T | undefined): T | undefined;
}

/** Creates the object of each namespace that is not being deleted. */
export class NamespaceObjectReconciler<T extends ApiObject> implements Reconciler {
  readonly #context: ControllerContext;
  readonly #object: NamespaceObject<T>;

  constructor(context: ControllerContext, object: NamespaceObject<T>) {
    this.#context = context;
    this.#object = object;
  }

  async reconcile(namespace: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, informers } = this.#context;
    const { type, objectName } = this.#object;
    const owner = informers.of(namespaces).find({ namespace: "", name: namespace });
    if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return done;
    const current = informers.of(type).find({ namespace, name: objectName });
    const wanted = this.#object.plan(namespace, current);
    if (wanted === undefined) return done;
    try {
      if (current === undefined) await client.create(type, wanted, { signal });
      else await client.update(type, wanted, { signal });
    } catch (error) {
      // Another client wrote first, or the namespace is being deleted. The change that shows this
      // state wakes the reconciler again.
      const isOver = isApiError(error, "AlreadyExists", "NotFound");
      if (!isOver && !(await this.#isTerminating(namespace, signal))) throw error;
    }
    return done;
  }

  async #isTerminating(namespace: string, signal: AbortSignal): Promise<boolean> {
    const found = await this.#context.client.find(namespaces, { namespace: "", name: namespace }, { signal });
    return found === undefined || found.metadata.deletionTimestamp !== undefined;
  }
}

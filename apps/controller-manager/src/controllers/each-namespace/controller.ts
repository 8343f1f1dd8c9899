import { type ApiObject, isApiError, type Namespace, namespaces, type ResourceType } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { type Controller, done, QueueController, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { whileListening } from "../../shared/while-listening.ts";

/** One object that every namespace has. */
export interface NamespaceObject<T extends ApiObject> {
  /** Of the controller, as upstream calls it. */
  name: string;
  type: ResourceType<T>;
  objectName: string;
  /** As it has to be; undefined when `current` will do. */
  plan(namespace: string, current: T | undefined): T | undefined;
}

/** Sees to it that each namespace that is not being deleted has the object. */
export class EachNamespace<T extends ApiObject> implements Controller {
  readonly name: string;
  readonly #context: ControllerContext;
  readonly #object: NamespaceObject<T>;
  readonly #queue: QueueController;

  constructor(context: ControllerContext, object: NamespaceObject<T>) {
    this.name = object.name;
    this.#context = context;
    this.#object = object;
    const { informers } = context;
    informers.of(object.type);
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: { reconcile: (namespace, signal) => this.#reconcile(namespace, signal) },
        allKeys: () => informers.namespaces.list().map(({ metadata }) => metadata.name ?? ""),
      },
      { name: object.name, workers: 1 },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#context;
    const stops = [
      informers.namespaces.onChange((change) => this.#onNamespace(change)),
      informers.of(this.#object.type).onChange((change) => this.#onObject(change)),
    ];
    await whileListening(stops, this.#queue.run(signal));
  }

  #onNamespace({ type, object }: InformerChange<Namespace>): void {
    if (type !== "deleted") this.#queue.enqueue(object.metadata.name ?? "");
  }

  #onObject({ type, object }: InformerChange<T>): void {
    const { name, namespace = "" } = object.metadata;
    if (type !== "added" && name === this.#object.objectName) this.#queue.enqueue(namespace);
  }

  async #reconcile(namespace: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, informers } = this.#context;
    const { type, objectName } = this.#object;
    const owner = informers.namespaces.find({ namespace: "", name: namespace });
    if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return done;
    const current = informers.of(type).find({ namespace, name: objectName });
    const wanted = this.#object.plan(namespace, current);
    if (wanted === undefined) return done;
    try {
      if (current === undefined) await client.create(type, wanted, { signal });
      else await client.update(type, wanted, { signal });
    } catch (error) {
      // Somebody was faster, or the namespace has begun to go: the change that says so wakes this again.
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

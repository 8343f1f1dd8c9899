import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionStatus,
  customResourceDefinitions,
  definitionFinalizer,
  isApiError,
  sameJson,
} from "@kintsugi/api";
import { Waiter } from "@kintsugi/clock";
import type { CommittedChange } from "@kintsugi/store";
import { serverCall } from "../bootstrap/ensure-objects.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { parseStoreKey, storeKey, storeResource } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { update } from "../verbs/update.ts";
import { DefinitionIndex, groupOfDefinition } from "./definition-index.ts";
import { deleteObjects } from "./delete-objects.ts";
import { planDefinitionStatus, type TakenNames } from "./plan-definition-status.ts";

/**
 * Interval after which a definition whose objects wait for their finalizers, or whose write failed,
 * is inspected again.
 */
const retryMs = 5_000;

/**
 * Keeps the definitions' conditions up to date, and deletes the objects of deleted definitions. A
 * definition is handled only by its name, so no work is lost when the process restarts.
 */
export class DefinitionLoop {
  readonly #context: ServerContext;
  /** Each stored definition is due at most once. */
  readonly #due = new Set<string>();
  readonly #waiter = new Waiter();
  readonly #index = new DefinitionIndex();

  constructor(context: ServerContext) {
    this.#context = context;
    this.#index.load(context.store);
  }

  /**
   * Handles definitions that changed, that wait for their names, or whose objects are being
   * deleted.
   */
  observe(changes: readonly CommittedChange[]): void {
    this.#index.observe(changes);
    for (const { resource, entry, type } of changes) {
      if (resource === storeResource(customResourceDefinitions)) this.#addGroupOf(parseStoreKey(entry.key).name);
      else if (type === "delete" && this.#isCustom(resource)) this.#add(definitionNameOf(resource));
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const name of this.#index.names()) this.#add(name);
    while (!signal.aborted) {
      const [name] = this.#due;
      if (name === undefined) await this.#waiter.wait(signal);
      else {
        this.#due.delete(name);
        await this.#handle(name, signal);
      }
    }
  }

  #isCustom(resource: string): boolean {
    return this.#context.registry.findStored(resource)?.kind.storedForm !== undefined;
  }

  #addGroupOf(name: string): void {
    this.#add(name);
    for (const other of this.#index.inGroup(groupOfDefinition(name))) if (!other.isAccepted) this.#add(other.name);
  }

  #add(name: string): void {
    this.#due.add(name);
    this.#waiter.wake();
  }

  async #handle(name: string, signal: AbortSignal): Promise<void> {
    try {
      const isDone = await this.#reconcile(name);
      if (isDone) return;
    } catch (error) {
      if (signal.aborted) return;
      // A conflict means that a newer definition exists, which has already been added.
      if (!isApiError(error, "Conflict")) this.#context.log.warn("custom definition not handled", { name, error });
    }
    const timer = this.#context.clock.after(retryMs, () => this.#add(name));
    signal.addEventListener("abort", () => timer.cancel(), { once: true });
  }

  /** Returns true when no work is left until something changes. */
  async #reconcile(name: string): Promise<boolean> {
    const entry = this.#context.store.find(storeKey(customResourceDefinitions, "", name));
    if (entry === undefined) return true;
    const definition = decodeEntry(entry) as unknown as CustomResourceDefinition;
    if (entry.index.deleting === true) return this.#finish(definition);
    const status = planDefinitionStatus(definition, this.#takenNames(definition), this.#context.clock.nowMs());
    if (!sameJson(status, definition.status)) await this.#writeStatus(definition, status);
    return true;
  }

  async #finish(definition: CustomResourceDefinition): Promise<boolean> {
    if (definition.metadata.finalizers?.includes(definitionFinalizer) !== true) return true;
    const isEmpty = await deleteObjects(this.#context, definition);
    if (!isEmpty) return false;
    const finalizers = definition.metadata.finalizers.filter((one) => one !== definitionFinalizer);
    await this.#write({ ...definition, metadata: { ...definition.metadata, finalizers } }, "");
    return true;
  }

  #writeStatus(definition: CustomResourceDefinition, status: CustomResourceDefinitionStatus): Promise<void> {
    return this.#write({ ...definition, status }, "status");
  }

  /** The write names the revision for which the plan was made. */
  async #write(definition: CustomResourceDefinition, subresource: string): Promise<void> {
    const resource = this.#context.registry.get(customResourceDefinitions);
    const object = definition as unknown as KubeObject;
    await update(this.#context, serverCall(this.#context, resource, { method: "PUT", object, subresource }));
  }

  /** The names of the group's other kinds, whether they are defined or compiled in. */
  #takenNames({ metadata, spec }: CustomResourceDefinition): TakenNames {
    const resources = new Set<string>();
    const kinds = new Set<string>();
    for (const { type, isCustom } of this.#context.registry.served) {
      if (type.group !== spec.group || isCustom) continue;
      for (const name of [type.resource, type.singular, ...type.shortNames]) resources.add(name);
      for (const name of [type.kind, `${type.kind}List`]) kinds.add(name);
    }
    for (const { name: other, accepted } of this.#index.inGroup(spec.group)) {
      if (other === metadata.name) continue;
      const { plural = "", singular = "", shortNames = [], kind = "", listKind = "" } = accepted ?? {};
      for (const name of [plural, singular, ...shortNames]) resources.add(name);
      for (const name of [kind, listKind]) kinds.add(name);
    }
    resources.delete("");
    kinds.delete("");
    return { resources, kinds };
  }
}

/** "crontabs.stable.example.com" of the store's "stable.example.com/crontabs". */
function definitionNameOf(resource: string): string {
  const [group = "", plural = ""] = resource.split("/");
  return `${plural}.${group}`;
}

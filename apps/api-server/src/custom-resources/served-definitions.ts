import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  isConditionTrue,
  type Kind,
  type Logger,
  sameJson,
} from "@kintsugi/api";
import type { CommittedChange, Entry, Store } from "@kintsugi/store";
import { decodeEntry } from "../resources/encoding.ts";
import { parseStoreKey, storePrefix, storeResource } from "../resources/keys.ts";
import type { Registry } from "../resources/registry.ts";
import { customKind } from "./custom-kind.ts";

/** The parts of a definition that decide how its objects are served. */
interface ServedDefinition {
  parts: unknown;
  kinds: readonly Kind[];
}

/**
 * Serves the kinds of the stored definitions. The registry is updated before a write of a
 * definition is answered.
 */
export class ServedDefinitions {
  readonly #registry: Registry;
  readonly #log: Logger;
  readonly #served = new Map<string, ServedDefinition>();

  constructor(deps: { registry: Registry; log: Logger }) {
    this.#registry = deps.registry;
    this.#log = deps.log;
  }

  /** Serves all stored definitions, in one change of the registry. */
  load(store: Pick<Store, "list">): void {
    this.#apply(store.list(storePrefix(customResourceDefinitions, "")).entries.map((entry) => this.#planPut(entry)));
  }

  observe(changes: readonly CommittedChange[]): void {
    for (const change of changes) {
      if (change.resource !== storeResource(customResourceDefinitions)) continue;
      const { name } = parseStoreKey(change.entry.key);
      this.#apply([change.type === "delete" ? { name, next: undefined } : this.#planPut(change.entry)]);
    }
  }

  #planPut(entry: Entry): PlannedDefinition {
    const { name } = parseStoreKey(entry.key);
    const definition = decodeEntry(entry) as unknown as CustomResourceDefinition;
    if (!isConditionTrue(definition.status?.conditions, "Established")) return { name, next: undefined };
    const parts = partsOf(definition);
    const known = this.#served.get(name);
    if (known !== undefined && sameJson(known.parts, parts)) return { name, next: known };
    const served = definition.spec.versions.filter((version) => version.served);
    return { name, next: { parts, kinds: served.map((version) => customKind(definition, version) as Kind) } };
  }

  #apply(planned: readonly PlannedDefinition[]): void {
    const remove: Kind["type"][] = [];
    const add: Kind[] = [];
    for (const { name, next } of planned) {
      const before = this.#served.get(name);
      if (next === before) continue;
      if (before !== undefined) remove.push(...before.kinds.map(({ type }) => type));
      if (next === undefined) this.#served.delete(name);
      else {
        add.push(...next.kinds);
        this.#served.set(name, next);
      }
    }
    if (remove.length === 0 && add.length === 0) return;
    try {
      this.#registry.change({ remove, add });
    } catch (error) {
      // Names are accepted before kinds are served, so this is an internal error of the server.
      this.#log.error("custom kinds cannot be served", { error, names: planned.map(({ name }) => name) });
      for (const { name } of planned) this.#served.delete(name);
    }
  }
}

interface PlannedDefinition {
  name: string;
  next: ServedDefinition | undefined;
}

function partsOf({ metadata, spec, status }: CustomResourceDefinition): unknown {
  // The generation also counts the deletion, which does not change how objects are served.
  return { uid: metadata.uid, spec, names: status?.acceptedNames, stored: status?.storedVersions };
}

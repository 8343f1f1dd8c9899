import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionNames,
  customResourceDefinitions,
  isConditionTrue,
} from "@kintsugi/api";
import type { CommittedChange, Entry, Store } from "@kintsugi/store";
import { decodeEntry } from "../resources/encoding.ts";
import { parseStoreKey, storePrefix, storeResource } from "../resources/keys.ts";

interface IndexedDefinition {
  name: string;
  group: string;
  accepted: CustomResourceDefinitionNames | undefined;
  isAccepted: boolean;
}

/**
 * The names of all definitions by their group, so that definitions of other groups are not parsed
 * for a conflict.
 */
export class DefinitionIndex {
  readonly #groups = new Map<string, Map<string, IndexedDefinition>>();

  load(store: Pick<Store, "list">): void {
    for (const entry of store.list(storePrefix(customResourceDefinitions, "")).entries) this.#put(entry);
  }

  observe(changes: readonly CommittedChange[]): void {
    for (const { resource, type, entry } of changes) {
      if (resource !== storeResource(customResourceDefinitions)) continue;
      if (type === "delete") this.#remove(parseStoreKey(entry.key).name);
      else this.#put(entry);
    }
  }

  names(): string[] {
    return [...this.#groups.values()].flatMap((group) => [...group.keys()]);
  }

  inGroup(group: string): readonly IndexedDefinition[] {
    return [...(this.#groups.get(group)?.values() ?? [])];
  }

  #put(entry: Entry): void {
    const { name } = parseStoreKey(entry.key);
    const { spec, status } = decodeEntry(entry) as unknown as CustomResourceDefinition;
    const group = this.#groups.get(spec.group) ?? new Map<string, IndexedDefinition>();
    const isAccepted = isConditionTrue(status?.conditions, "NamesAccepted");
    group.set(name, { name, group: spec.group, accepted: status?.acceptedNames, isAccepted });
    this.#groups.set(spec.group, group);
  }

  #remove(name: string): void {
    const group = groupOfDefinition(name);
    this.#groups.get(group)?.delete(name);
    if (this.#groups.get(group)?.size === 0) this.#groups.delete(group);
  }
}

/** "stable.example.com" of the definition crontabs.stable.example.com. */
export function groupOfDefinition(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

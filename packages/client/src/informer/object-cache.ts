import { strict as assert } from "node:assert";
import { type ApiObject, formatKey, keyOf, type ObjectKey } from "@kintsugi/api";
import type { InformerChange, InformerOptions } from "./informer.ts";

/**
 * The copy behind an informer. Every method that changes it returns the changes, in order. Objects
 * lose the record of their fields' managers, because readers of a copy do not use the record, the
 * record takes more than half of a running pod's memory, and a client does not send the record back
 * (dropManagedFields).
 */
export class ObjectCache<T extends ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: readonly Index<T>[];
  readonly #keeps: (object: T) => boolean;
  readonly #project: (object: T) => T;
  #listed: readonly T[] | undefined;

  constructor(options: Pick<InformerOptions<T>, "indexes" | "keeps" | "project"> = {}) {
    const { indexes = {}, keeps = () => true, project = (object) => object } = options;
    this.#keeps = keeps;
    this.#project = project;
    this.#indexes = Object.entries(indexes).map(([name, valuesOf]) => ({ name, valuesOf, byValue: new Map() }));
  }

  find(key: ObjectKey): T | undefined {
    return this.#objects.get(formatKey(key));
  }

  list(): readonly T[] {
    return (this.#listed ??= [...this.#objects.values()]);
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.find((candidate) => candidate.name === name);
    if (index === undefined) throw new TypeError(`the informer has no index "${name}"`);
    return [...(index.byValue.get(value)?.values() ?? [])];
  }

  /**
   * Adds `object`, unless the copy is at least as new. Another UID is another object, so the old
   * object is removed and the new object is added.
   */
  put(given: T): readonly InformerChange<T>[] {
    const object = this.#reduced(given);
    const before = this.find(keyOf(object));
    if (before === undefined) return this.#keeps(object) ? [this.#add(object)] : [];
    if (revisionOf(object) <= revisionOf(before)) return [];
    if (!this.#keeps(object)) return [this.#remove(before, isSame(before, object) ? object : before)];
    return this.#replace(before, object);
  }

  /** Removes the object, unless the copy is newer than `final`, the object's last state. */
  delete(given: T): readonly InformerChange<T>[] {
    const final = this.#reduced(given);
    const before = this.find(keyOf(final));
    if (before === undefined || revisionOf(final) < revisionOf(before)) return [];
    return [this.#remove(before, isSame(before, final) ? final : before)];
  }

  /** Removes the object, because the server does not have it. */
  forget(key: ObjectKey): readonly InformerChange<T>[] {
    const before = this.find(key);
    return before === undefined ? [] : [this.#remove(before, before)];
  }

  /**
   * Makes the copy equal to a complete list. The list takes precedence, even over newer revisions
   * in the copy.
   */
  replaceAll(all: readonly T[]): readonly InformerChange<T>[] {
    const objects = all.map((object) => this.#reduced(object)).filter((object) => this.#keeps(object));
    const present = new Set(objects.map((object) => formatKey(keyOf(object))));
    const gone = this.list().filter((object) => !present.has(formatKey(keyOf(object))));
    return [
      ...gone.map((object) => this.#remove(object, object)),
      ...objects.flatMap((object) => {
        const before = this.find(keyOf(object));
        if (before === undefined) return [this.#add(object)];
        return before.metadata.resourceVersion === object.metadata.resourceVersion ? [] : this.#replace(before, object);
      }),
    ];
  }

  #reduced(object: T): T {
    return this.#project(dropManagedFields(object));
  }

  #replace(before: T, object: T): readonly InformerChange<T>[] {
    if (!isSame(before, object)) return [this.#remove(before, before), this.#add(object)];
    this.#unindex(before);
    this.#store(object);
    return [{ type: "modified", object, before }];
  }

  #add(object: T): InformerChange<T> {
    this.#store(object);
    return { type: "added", object };
  }

  #remove(before: T, final: T): InformerChange<T> {
    const key = formatKey(keyOf(before));
    this.#unindex(before);
    assert(this.#objects.delete(key), `${key} is removed from the copy, which does not contain it`);
    this.#listed = undefined;
    return { type: "deleted", object: final };
  }

  #store(object: T): void {
    const key = formatKey(keyOf(object));
    this.#objects.set(key, object);
    this.#listed = undefined;
    for (const { valuesOf, byValue } of this.#indexes) {
      for (const value of valuesOf(object)) {
        const found = byValue.get(value);
        if (found === undefined) byValue.set(value, new Map([[key, object]]));
        else found.set(key, object);
      }
    }
  }

  #unindex(object: T): void {
    const key = formatKey(keyOf(object));
    for (const { valuesOf, byValue } of this.#indexes) {
      const values = valuesOf(object);
      for (const value of values.length > 1 ? new Set(values) : values) {
        const found = byValue.get(value);
        // The copy is shared by all its readers. A reader that changes an object in place makes the
        // indexes wrong for the other readers.
        const isThere = found !== undefined && found.delete(key);
        assert(isThere, `${key} was changed in the copy: no index has it at ${JSON.stringify(value)}`);
        if (found.size === 0) byValue.delete(value);
      }
    }
  }
}

/** A name can be reused by another object. */
function isSame(one: ApiObject, other: ApiObject): boolean {
  return one.metadata.uid === other.metadata.uid;
}

interface Index<T> {
  readonly name: string;
  readonly valuesOf: (object: T) => readonly string[];
  readonly byValue: Map<string, Map<string, T>>;
}

/** The revision in a resourceVersion; the revisions of this server are decimal. */
export function revisionOf(object: ApiObject): number {
  return parseRevision(object.metadata.resourceVersion);
}

export function parseRevision(resourceVersion: string | undefined): number {
  const revision = Number(resourceVersion ?? "");
  if (resourceVersion === undefined || resourceVersion === "" || !Number.isSafeInteger(revision)) {
    throw new TypeError(`resourceVersion ${JSON.stringify(resourceVersion)} is not a revision`);
  }
  return revision;
}

/** Returns the object without the record of its fields' managers, which a copy does not need. */
export function dropManagedFields<T extends ApiObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === undefined ? object : { ...object, metadata };
}

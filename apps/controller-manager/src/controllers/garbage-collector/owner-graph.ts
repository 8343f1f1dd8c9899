import type { ApiObject, OwnerReference, ResourceType } from "@kintsugi/api";
import { groupOf } from "../../shared/scale/group-of.ts";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** Garbage collection retains only the metadata of an object. */
export interface GraphObject {
  type: ResourceType;
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
  owners: readonly OwnerReference[];
  finalizers: readonly string[];
  isDeleting: boolean;
}

export function graphObject(type: ResourceType, { metadata }: ApiObject): GraphObject {
  return {
    type,
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    resourceVersion: metadata.resourceVersion ?? "",
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** The object is deleted only after its dependents. */
export function waitsForDependents(object: GraphObject): boolean {
  return object.isDeleting && object.finalizers.includes(foregroundFinalizer);
}

/** The object is deleted once its dependents are orphaned. */
export function orphansDependents(object: GraphObject): boolean {
  return object.isDeleting && object.finalizers.includes(orphanFinalizer);
}

/** Reports whether `object` blocks the deletion of its owner. */
export function blocks(object: GraphObject, ownerUid: string): boolean {
  return object.owners.some((reference) => reference.uid === ownerUid && reference.blockOwnerDeletion === true);
}

/** All objects with their dependents, by UID, because a name can be reused and a UID cannot. */
export class OwnerGraph {
  readonly #objects = new Map<string, GraphObject>();
  /**
   * The UIDs of dependents by their owner's UID, including owners that do not exist, or do not
   * exist yet.
   */
  readonly #dependents = new Map<string, Set<string>>();
  /** The number of references to owners, by their kind. Most kinds are never an owner. */
  readonly #references = new Map<string, number>();

  put(object: GraphObject): void {
    this.#unlink(this.#objects.get(object.uid));
    this.#objects.set(object.uid, object);
    for (const { uid, kind } of object.owners) {
      const dependents = this.#dependents.get(uid) ?? new Set();
      dependents.add(object.uid);
      this.#dependents.set(uid, dependents);
      this.#references.set(kind, (this.#references.get(kind) ?? 0) + 1);
    }
  }

  remove(uid: string): void {
    this.#unlink(this.#objects.get(uid));
    this.#objects.delete(uid);
  }

  find(uid: string): GraphObject | undefined {
    return this.#objects.get(uid);
  }

  dependentsOf(ownerUid: string): GraphObject[] {
    const uids = this.#dependents.get(ownerUid) ?? [];
    return [...uids].flatMap((uid) => this.#objects.get(uid) ?? []);
  }

  /** The UIDs of objects that have an owner of the kind, in any version. */
  ownedByKind({ group, kind }: ResourceType): string[] {
    if (!this.#references.has(kind)) return [];
    const isOfKind = (owner: OwnerReference) => owner.kind === kind && groupOf(owner.apiVersion) === group;
    return [...this.#objects.values()].flatMap(({ uid, owners }) => (owners.some(isOfKind) ? [uid] : []));
  }

  forgetKind({ group, resource }: ResourceType): void {
    for (const { uid, type } of this.#objects.values())
      if (type.group === group && type.resource === resource) this.remove(uid);
  }

  uids(): Iterable<string> {
    return this.#objects.keys();
  }

  #unlink(object: GraphObject | undefined): void {
    for (const { uid, kind } of object?.owners ?? []) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(object?.uid ?? "");
      if (dependents?.size === 0) this.#dependents.delete(uid);
      const references = (this.#references.get(kind) ?? 0) - 1;
      if (references > 0) this.#references.set(kind, references);
      else this.#references.delete(kind);
    }
  }
}

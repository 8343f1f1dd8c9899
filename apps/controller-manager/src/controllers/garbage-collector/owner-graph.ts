import type { ApiObject, OwnerReference, ResourceType } from "@kintsugi/api";
import { groupOf } from "../../shared/scale/group-of.ts";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** Garbage collection keeps nothing of an object but its metadata. */
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

/** The object goes only after those that depend on it. */
export function waitsForDependents(object: GraphObject): boolean {
  return object.isDeleting && object.finalizers.includes(foregroundFinalizer);
}

/** The object goes once its dependents have been let go. */
export function orphansDependents(object: GraphObject): boolean {
  return object.isDeleting && object.finalizers.includes(orphanFinalizer);
}

/** Reports whether `object` keeps its owner from going before it. */
export function blocks(object: GraphObject, ownerUid: string): boolean {
  return object.owners.some((reference) => reference.uid === ownerUid && reference.blockOwnerDeletion === true);
}

/** All objects with their dependents. By UID: a name may come back, a UID does not. */
export class OwnerGraph {
  readonly #objects = new Map<string, GraphObject>();
  /**
   * The UIDs of dependents by their owner's UID; also for owners that are not, or not yet, there.
   */
  readonly #dependents = new Map<string, Set<string>>();

  put(object: GraphObject): void {
    this.#unlink(this.#objects.get(object.uid));
    this.#objects.set(object.uid, object);
    for (const { uid } of object.owners) {
      const dependents = this.#dependents.get(uid) ?? new Set();
      dependents.add(object.uid);
      this.#dependents.set(uid, dependents);
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

  /** The UIDs of objects of which an owner is of the kind, in any version. */
  ownedByKind({ group, kind }: ResourceType): string[] {
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
    for (const { uid } of object?.owners ?? []) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(object?.uid ?? "");
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
  }
}

import type { OwnerReference } from "@kintsugi/api";
import {
  blocks,
  foregroundFinalizer,
  type GraphObject,
  orphanFinalizer,
  orphansDependents,
  waitsForDependents,
} from "./owner-graph.ts";

/**
 * The state of an owner.
 * - `present`: the owner exists, or its state is unknown, so its dependents remain.
 * - `waiting`: the owner is being deleted and waits for the removal of its dependents.
 * - `absent`: the server itself has confirmed that no such object exists.
 */
export type OwnerState = "present" | "waiting" | "absent";

export type CollectionPlan =
  | { type: "nothing" }
  | { type: "delete"; propagation: "Background" | "Foreground" | "Orphan"; unblock: boolean }
  /**
   * The object has other owners, so only the references to owners that no longer exist, or are
   * being deleted, are removed.
   */
  | { type: "drop-owners"; owners: readonly OwnerReference[] }
  | { type: "release-dependents"; dependents: readonly GraphObject[] }
  | { type: "delete-dependents"; dependents: readonly GraphObject[] }
  | { type: "finish"; finalizer: string };

/**
 * Plans the next step for an object that is being deleted and has a finalizer of garbage
 * collection.
 */
export function planDeleting(object: GraphObject, dependents: readonly GraphObject[]): CollectionPlan {
  if (orphansDependents(object)) {
    if (dependents.length > 0) return { type: "release-dependents", dependents };
    return { type: "finish", finalizer: orphanFinalizer };
  }
  if (waitsForDependents(object)) {
    const isBlocked = dependents.some((dependent) => blocks(dependent, object.uid));
    if (!isBlocked) return { type: "finish", finalizer: foregroundFinalizer };
    const alive = dependents.filter((dependent) => !waitsForDependents(dependent));
    return alive.length === 0 ? { type: "nothing" } : { type: "delete-dependents", dependents: alive };
  }
  return { type: "nothing" };
}

export interface OwnedInput {
  object: GraphObject;
  dependents: readonly GraphObject[];
  stateOf: (owner: OwnerReference) => OwnerState;
}

/** Plans the next step for an object that has owners: upstream's attemptToDeleteItem. */
export function planOwned({ object, dependents, stateOf }: OwnedInput): CollectionPlan {
  const present = object.owners.filter((owner) => stateOf(owner) === "present");
  if (present.length === object.owners.length) return { type: "nothing" };
  if (present.length > 0) return { type: "drop-owners", owners: present };
  const isAwaited = object.owners.some((owner) => stateOf(owner) === "waiting");
  if (isAwaited && dependents.length > 0) {
    // A dependent that is being deleted may itself wait for this object, so the cycle is broken
    // here.
    return { type: "delete", propagation: "Foreground", unblock: dependents.some(waitsForDependents) };
  }
  const { finalizers } = object;
  const propagation = finalizers.includes(orphanFinalizer)
    ? "Orphan"
    : finalizers.includes(foregroundFinalizer)
      ? "Foreground"
      : "Background";
  return { type: "delete", propagation, unblock: false };
}

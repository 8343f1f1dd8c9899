import { type ApiObject, controllerOf } from "@kintsugi/api";
import { findIn, type World } from "../world.ts";

interface Owner {
  readonly kind: string;
  readonly name: string;
}

/** The controller that made the object. */
export function ownerOf(object: ApiObject): Owner | undefined {
  const owner = controllerOf(object);
  return owner === undefined ? undefined : { kind: owner.kind, name: owner.name };
}

/** The workload that a person edits: a pod's Deployment instead of its ReplicaSet. */
export function editedOwner(object: ApiObject, world: World): Owner | undefined {
  const owner = ownerOf(object);
  if (owner?.kind !== "ReplicaSet") return owner;
  const set = findIn(world, "replicasets", { namespace: object.metadata.namespace, name: owner.name });
  return (set === undefined ? undefined : ownerOf(set)) ?? owner;
}

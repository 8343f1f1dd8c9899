import type { ResourceType } from "./resource-type.ts";
import { apiVersionOf } from "./resource-type.ts";
import type { ApiObject } from "./api-object.ts";
import type { OwnerReference } from "./object-meta.ts";

/** The owner that manages this object; an object has at most one. */
export function controllerOf(object: ApiObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Reports whether `owner`, by UID, manages this object. */
export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  const uid = owner.metadata.uid;
  return uid !== undefined && uid !== "" && controllerOf(object)?.uid === uid;
}

/** The reference that makes `owner` the manager of a new object. */
export function controllerReference(
  owner: ApiObject,
  type: Pick<ResourceType, "group" | "version" | "kind">,
): OwnerReference {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

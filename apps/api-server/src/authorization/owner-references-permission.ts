import {
  type ApiError,
  type ApiObject,
  forbidden,
  type JsonObject,
  type OwnerReference,
  sameJson,
} from "@kintsugi/api";
import type { AdmissionAttributes, AuthorizationAdmission } from "./admission-attributes.ts";
import { nothingElse } from "./assert-allowed.ts";

type PermissionDeps = Parameters<AuthorizationAdmission["ownerReferencesPermission"]>[1];

/**
 * OwnerReferencesPermissionEnforcement: an owner reference lets the garbage collector delete the
 * object, so changing it requires the right to delete. blockOwnerDeletion delays the owner's
 * deletion, so it requires the right to update the owner's finalizers.
 */
export function checkOwnerReferences(attributes: AdmissionAttributes, deps: PermissionDeps): ApiError | undefined {
  const { operation, type, subresource, object, before } = attributes;
  const isStatus = type.group === "" && type.resource === "pods" && subresource === "status";
  if ((operation !== "create" && operation !== "update") || isStatus || object === undefined) {
    return undefined;
  }
  const [owners, ownersBefore] = [ownersOf(object), ownersOf(before)];
  if (sameJson(owners, ownersBefore)) {
    return undefined;
  }
  return (
    (operation === "update" ? checkDelete(attributes, deps) : undefined) ??
    owners
      .filter((owner) => newlyBlocks(owner, ownersBefore))
      .map((owner) => checkBlock(attributes, owner, deps))
      .find((refusal) => refusal !== undefined)
  );
}

function checkDelete(attributes: AdmissionAttributes, { authorizer }: PermissionDeps): ApiError | undefined {
  const { type, subresource, namespace, name } = attributes;
  const { group, version, resource } = type;
  const decision = authorizer.authorize({
    ...requestBy(attributes, namespace),
    verb: "delete",
    group,
    version,
    resource,
    subresource,
    name,
  });
  return decision.allowed
    ? undefined
    : refuse(attributes, `cannot set an ownerRef on a resource you can't delete: ${decision.reason}, <nil>`);
}

function checkBlock(
  attributes: AdmissionAttributes,
  owner: OwnerReference,
  deps: PermissionDeps,
): ApiError | undefined {
  const type = deps.resourceOf(owner.apiVersion, owner.kind);
  if (type === undefined) {
    const what = `APIVersion ${owner.apiVersion} Kind ${owner.kind}: no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`;
    return refuse(attributes, `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for ${what}`);
  }
  const decision = deps.authorizer.authorize({
    ...requestBy(attributes, type.namespaced ? attributes.namespace : ""),
    verb: "update",
    group: type.group,
    version: type.version,
    resource: type.resource,
    subresource: "finalizers",
    name: owner.name,
  });
  return decision.allowed
    ? undefined
    : refuse(
        attributes,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${decision.reason}, <nil>`,
      );
}

function newlyBlocks(owner: OwnerReference, before: readonly OwnerReference[]): boolean {
  return (
    owner.blockOwnerDeletion === true &&
    !before.some(({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion === true)
  );
}

function requestBy({ user }: AdmissionAttributes, namespace: string) {
  return { ...nothingElse, user, namespace };
}

function ownersOf(object: JsonObject | undefined): readonly OwnerReference[] {
  return (object as unknown as ApiObject | undefined)?.metadata.ownerReferences ?? [];
}

function refuse({ type, name, object }: AdmissionAttributes, because: string): ApiError {
  const { metadata } = object as unknown as ApiObject;
  return forbidden(type, name || metadata.name || metadata.generateName || "", because);
}

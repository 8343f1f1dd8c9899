import { checkSubdomain1123, invalid } from "@kintsugi/api";
import { type FieldProblem, fieldForbidden, fieldInvalid, immutable } from "../http/refusals.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";

/** @throws ApiError Invalid with everything that is wrong. */
export function validateNew(resource: Resource, object: KubeObject): void {
  const problems = [...nameProblems(resource, object), ...(resource.rules.validate?.(object) ?? [])];
  refuse(resource, object, problems);
}

/** @throws ApiError Invalid with everything that is wrong. */
export function validateChange(
  resource: Resource,
  change: { object: KubeObject; before: KubeObject; subresource: string },
): void {
  const { object, before, subresource } = change;
  const problems = [
    ...finalizerProblems(object, before),
    ...ownerProblems(object),
    ...(resource.rules.validate?.(object) ?? []),
    ...(resource.rules.validateUpdate?.(object, before, subresource) ?? []),
  ];
  if (object.metadata.name !== before.metadata.name) problems.push(immutable("metadata.name", object.metadata.name));
  refuse(resource, object, problems);
}

function refuse(resource: Resource, object: KubeObject, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(resource.type, object.metadata.name ?? "", problems);
}

function nameProblems(resource: Resource, object: KubeObject): FieldProblem[] {
  const check = resource.rules.checkName ?? checkSubdomain1123;
  const name = object.metadata.name ?? "";
  return check(name).map((why) => fieldInvalid("metadata.name", name, why));
}

/** At most one owner controls an object. */
function ownerProblems(object: KubeObject): FieldProblem[] {
  const controllers = (object.metadata.ownerReferences ?? []).filter((owner) => owner.controller === true);
  if (controllers.length <= 1) return [];
  const names = controllers.map((owner) => `${owner.kind}/${owner.name}`).join(" and ");
  return [
    fieldInvalid(
      "metadata.ownerReferences",
      object.metadata.ownerReferences,
      `Only one reference can have Controller set to true. Found "true" in references for ${names}`,
    ),
  ];
}

function finalizerProblems(object: KubeObject, before: KubeObject): FieldProblem[] {
  if (before.metadata.deletionTimestamp === undefined) return [];
  const known = new Set(before.metadata.finalizers);
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
  return [
    fieldForbidden(
      "metadata.finalizers",
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}

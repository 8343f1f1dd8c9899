import {
  type ApiError,
  forbidden,
  type JsonObject,
  notFound,
  type PolicyRule,
  type ResourceType,
  type RoleRef,
  sameJson,
} from "@kintsugi/api";
import type { AdmissionAttributes, AuthorizationAdmission } from "../admission-attributes.ts";
import { nothingElse } from "../assert-allowed.ts";
import type { AuthorizationAttributes, UserInfo } from "../authorization.ts";
import { compactRights, findMissingRights, formatList, formatRule, singleRightsMax } from "./rule-cover.ts";

const group = "rbac.authorization.k8s.io";
const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

type EscalationDeps = Parameters<AuthorizationAdmission["roleEscalation"]>[1];

/**
 * Prevents users from granting rights that they do not have, by writing a role or by binding a
 * role.
 */
export function checkRoleEscalation(attributes: AdmissionAttributes, deps: EscalationDeps): ApiError | undefined {
  const { type, operation, subresource, user, object, before } = attributes;
  const isWrite = (operation === "create" || operation === "update") && subresource === "";
  if (type.group !== group || !isWrite || object === undefined || user.groups.includes("system:masters")) {
    return undefined;
  }
  // The removal of an object does not grant rights, so it is never an escalation.
  if (before !== undefined && changesOnlyCollectorFields(object, before)) {
    return undefined;
  }
  switch (type.resource) {
    case "roles":
    case "clusterroles":
      return checkRole(attributes, object, deps);
    case "rolebindings":
    case "clusterrolebindings":
      return checkBinding(attributes, object, deps);
    default:
      return undefined;
  }
}

function checkRole(attributes: AdmissionAttributes, role: JsonObject, deps: EscalationDeps): ApiError | undefined {
  const { type, before } = attributes;
  if (mayDo(attributes, deps, { verb: "escalate", resource: type.resource, name: attributes.name })) {
    return undefined;
  }
  const name = nameOf(attributes, role);
  const because = explainMissing(attributes, deps, rulesOf(role));
  if (because !== undefined) {
    return forbidden(type, name, because);
  }
  // The rights that an aggregation rule will collect are unknown, so it requires the right to
  // everything.
  const aggregates = [role, before].some((version) => isSet(version?.["aggregationRule"]));
  if (aggregates && explainMissing(attributes, deps, everything) !== undefined) {
    return forbidden(type, name, "must have cluster-admin privileges to use the aggregationRule");
  }
  return undefined;
}

function checkBinding(
  attributes: AdmissionAttributes,
  binding: JsonObject,
  deps: EscalationDeps,
): ApiError | undefined {
  const roleRef = binding["roleRef"] as unknown as RoleRef;
  const isClusterRole = roleRef.kind === "ClusterRole";
  const resource = isClusterRole ? "clusterroles" : "roles";
  if (mayDo(attributes, deps, { verb: "bind", resource, name: roleRef.name })) {
    return undefined;
  }
  const role = deps.findRole(
    isClusterRole ? "ClusterRole" : "Role",
    isClusterRole ? "" : attributes.namespace,
    roleRef.name,
  );
  if (role === undefined) {
    return notFound({ group, resource }, roleRef.name);
  }
  const because = explainMissing(attributes, deps, rulesOf(role));
  return because === undefined ? undefined : forbidden(attributes.type, nameOf(attributes, binding), because);
}

function mayDo(
  { user, namespace, type }: AdmissionAttributes,
  { authorizer }: EscalationDeps,
  action: Pick<AuthorizationAttributes, "verb" | "resource" | "name">,
): boolean {
  const where = { group, version: type.version, namespace };
  return authorizer.authorize({ ...nothingElse, user, ...where, ...action }).allowed;
}

/** Returns the reason why the user may not grant these rules; undefined when the user may. */
function explainMissing(
  { user, namespace }: AdmissionAttributes,
  { authorizer }: EscalationDeps,
  wanted: readonly PolicyRule[],
): string | undefined {
  const { resourceRules, nonResourceRules } = authorizer.rulesFor(user, namespace);
  const held = [...resourceRules, ...nonResourceRules] as unknown as PolicyRule[];
  const missing = findMissingRights(held, wanted);
  if (missing?.length === 0) {
    return undefined;
  }
  const described =
    missing === undefined
      ? [`more than ${singleRightsMax} single rights`]
      : compactRights(missing).map(formatRule).toSorted();
  return `${describeUser(user)} is attempting to grant RBAC permissions not currently held:\n${described.join("\n")}`;
}

function describeUser({ name, groups }: UserInfo): string {
  return `user ${JSON.stringify(name)} (groups=${formatList(groups)})`;
}

function rulesOf(role: JsonObject): PolicyRule[] {
  return (role["rules"] ?? []) as unknown as PolicyRule[];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function nameOf(attributes: Pick<AdmissionAttributes, "name"> & { type: ResourceType }, object: JsonObject): string {
  const metadata = object["metadata"] as JsonObject | undefined;
  const name = attributes.name || metadata?.["name"];
  return typeof name === "string" ? name : "";
}

/** The garbage collector and the server itself change these fields while an object is deleted. */
const collectorFields = ["finalizers", "ownerReferences", "managedFields", "resourceVersion", "generation"];

/**
 * Reports whether a write only takes part in removing the object, like upstream's
 * IsOnlyMutatingGCFields.
 */
function changesOnlyCollectorFields(object: JsonObject, before: JsonObject): boolean {
  return sameJson(withoutCollectorFields(object), withoutCollectorFields(before));
}

function withoutCollectorFields(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  const kept = Object.entries((metadata ?? {}) as JsonObject).filter(([field]) => !collectorFields.includes(field));
  return { ...rest, metadata: Object.fromEntries(kept) };
}

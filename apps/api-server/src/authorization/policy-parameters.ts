import { type ApiError, invalid, type JsonObject, type ParamKind, type ParamRef, sameJson } from "@kintsugi/api";
import type { AdmissionAttributes, AuthorizationAdmission } from "./admission-attributes.ts";
import { nothingElse } from "./assert-allowed.ts";

const group = "admissionregistration.k8s.io";

/** The kind of policy to which each kind of binding refers. */
const policiesOf: Readonly<Record<string, string>> = {
  validatingadmissionpolicybindings: "validatingadmissionpolicies",
  mutatingadmissionpolicybindings: "mutatingadmissionpolicies",
};

type ParameterDeps = Parameters<AuthorizationAdmission["policyParameters"]>[1];

/** The parts of a policy or a binding that concern its parameters. */
interface ParameterSpec {
  readonly policyName?: string;
  readonly paramKind?: ParamKind;
  readonly paramRef?: ParamRef;
}

/**
 * The server reads a policy's parameters with its own rights, and expressions show them in messages
 * and copy them into objects. So the author of a policy needs the right to read all objects of its
 * `paramKind`, and the author of a binding needs the right to read the objects of its `paramRef`.
 */
export function checkPolicyParameters(attributes: AdmissionAttributes, deps: ParameterDeps): ApiError | undefined {
  const { type, operation, subresource, user, object, before } = attributes;
  const isWrite = (operation === "create" || operation === "update") && subresource === "";
  if (type.group !== group || !isWrite || user.groups.includes("system:masters")) return undefined;
  const [spec, specBefore] = [specOf(object), specOf(before)];
  const policies = policiesOf[type.resource];
  if (policies === undefined) {
    const { paramKind } = spec;
    const isSame = paramKind === undefined || sameJson(paramKind, specBefore.paramKind);
    return isSame ? undefined : checkPolicy(attributes, paramKind, deps);
  }
  const { paramRef, policyName = "" } = spec;
  if (paramRef === undefined) return undefined;
  if (sameJson(paramRef, specBefore.paramRef) && policyName === specBefore.policyName) return undefined;
  const { paramKind } = specOf(deps.findPolicy(policies, policyName));
  return checkBinding(attributes, { paramRef, paramKind }, deps);
}

function checkPolicy(attributes: AdmissionAttributes, paramKind: ParamKind, deps: ParameterDeps): ApiError | undefined {
  const request = { ...nothingElse, ...resourceOf(paramKind, deps), namespace: "*", name: "*", verb: "get" };
  if (deps.authorizer.authorize({ ...request, user: attributes.user }).allowed) return undefined;
  const { kind = "", apiVersion = "" } = paramKind;
  const because = `must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  return refuse(attributes, "spec.paramKind", because);
}

function checkBinding(
  attributes: AdmissionAttributes,
  { paramRef, paramKind }: { paramRef: ParamRef; paramKind: ParamKind | undefined },
  deps: ParameterDeps,
): ApiError | undefined {
  const { name = "", namespace = "" } = paramRef;
  // Parameters that labels select are listed. Upstream requires "list" only where the policy
  // mutates.
  const verb = name === "" ? "list" : "get";
  const request = { ...nothingElse, ...resourceOf(paramKind, deps), namespace, name, verb };
  if (deps.authorizer.authorize({ ...request, user: attributes.user }).allowed) return undefined;
  const because = `does not have "${verb}" permission on the object referenced by paramRef`;
  return refuse(attributes, "spec.paramRef", because);
}

/** Returns every resource for an unknown kind, which may be served later. */
function resourceOf(
  paramKind: ParamKind | undefined,
  deps: ParameterDeps,
): { group: string; version: string; resource: string } {
  if (paramKind === undefined) return { group: "*", version: "*", resource: "*" };
  const { apiVersion = "", kind = "" } = paramKind;
  const slash = apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    resource: deps.resourceOf(apiVersion, kind)?.resource ?? "*",
  };
}

function specOf(object: JsonObject | undefined): ParameterSpec {
  return (object?.["spec"] ?? {}) as ParameterSpec;
}

function refuse({ type, name, object, user }: AdmissionAttributes, field: string, because: string): ApiError {
  const { name: own } = (object?.["metadata"] ?? {}) as { name?: string };
  const message = `Forbidden: user ${JSON.stringify(user.name)} ${because}`;
  return invalid(type, name || (own ?? ""), [{ reason: "FieldValueForbidden", field, message }]);
}

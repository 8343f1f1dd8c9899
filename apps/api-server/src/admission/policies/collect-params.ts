import { matchesLabels, type ParamKind, type ParamRef, toSelector } from "@kintsugi/api";
import type { Store } from "@kintsugi/store";
import { storeKey, storePrefix } from "../../resources/keys.ts";
import type { KubeObject, Resource } from "../../resources/resource.ts";
import type { Registry } from "../../resources/registry.ts";
import { decodeAs, storedResource } from "../../resources/requested-form.ts";
import type { AdmissionRequest } from "../admission.ts";

/**
 * The error of a policy that cannot be applied as configured. The policy's failurePolicy decides
 * the request.
 */
export class ConfigurationError extends Error {}

/**
 * Finds the kind of a policy's parameters; undefined for a policy without parameters.
 * @throws ConfigurationError when the kind is not served.
 */
export function findParamResource(registry: Registry, paramKind: ParamKind | undefined): Resource | undefined {
  if (paramKind === undefined) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const found = registry.findByKind(apiVersion, kind);
  if (found === undefined) {
    throw new ConfigurationError(`failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`);
  }
  return found;
}

/**
 * Collects the parameter objects with which a binding applies its policy, each object once.
 * Undefined represents an application without parameters. The result is empty where missing
 * parameters are allowed.
 * @throws ConfigurationError
 */
export function collectParams(
  deps: { store: Store },
  { resource, paramRef }: { resource: Resource | undefined; paramRef: ParamRef | undefined },
  request: AdmissionRequest,
): readonly (KubeObject | undefined)[] {
  if (resource === undefined || paramRef === undefined) return [undefined];
  const { name = "", selector, parameterNotFoundAction } = paramRef;
  const namespace = namespaceOf(resource, paramRef, request);
  const { type } = storedResource(resource);
  const entries =
    name === ""
      ? deps.store
          .list(storePrefix(type, namespace))
          .entries.filter(({ index }) => matchesLabels(toSelector(selector), index.labels ?? {}))
      : [request.reader.find(storeKey(type, namespace, name))];
  const params = entries.flatMap((entry) => (entry === undefined ? [] : [decodeAs(resource, entry)]));
  if (params.length === 0 && parameterNotFoundAction === "Deny") {
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return params;
}

/** @throws ConfigurationError */
function namespaceOf({ type }: Resource, { namespace = "" }: ParamRef, request: AdmissionRequest): string {
  if (!type.namespaced) {
    if (namespace === "") return "";
    throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const chosen = namespace === "" ? request.namespace : namespace;
  if (chosen !== "") return chosen;
  const why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
  throw new ConfigurationError(why);
}

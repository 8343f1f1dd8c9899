import type { Store } from "@kintsugi/store";
import type { Authorizer } from "../../authorization/authorization.ts";
import type { Registry } from "../../resources/registry.ts";
import type { KubeObject, Resource } from "../../resources/resource.ts";
import type { AdmissionRequest } from "../admission.ts";
import type { FindEquivalents } from "../matching/equivalents.ts";
import { collectParams, ConfigurationError, findParamResource } from "./collect-params.ts";
import { findMatch } from "./compiled-match.ts";
import type { CompiledBinding, CompiledPolicy } from "./policy-directory.ts";

export interface PolicyStepDeps {
  store: Store;
  registry: Registry;
  authorizer: Authorizer;
  equivalents: FindEquivalents;
}

/** One application of a policy to a request, or the reason that it cannot be applied. */
export type PolicyApplication =
  | {
      readonly binding: CompiledBinding;
      /** The representation in which the policy's rules match. */
      readonly resource: Resource;
      readonly param: KubeObject | undefined;
      readonly failure: undefined;
    }
  | { readonly binding: CompiledBinding | undefined; readonly failure: string };

/** Lists how a policy is applied to a request: once for each binding and set of parameters. */
export function* applicationsOf(
  deps: PolicyStepDeps,
  policy: CompiledPolicy,
  request: AdmissionRequest,
): Generator<PolicyApplication> {
  const resource = findMatch(policy.constraints, request, deps.equivalents);
  if (resource === undefined) return;
  const paramResource = orFailure(() => findParamResource(deps.registry, policy.paramKind));
  if ("failure" in paramResource) {
    yield { binding: undefined, failure: `failed to configure policy: ${paramResource.failure}` };
    return;
  }
  for (const binding of policy.bindings) {
    if (binding.match !== undefined && findMatch(binding.match, request, deps.equivalents) === undefined) continue;
    const place = { resource: paramResource.value, paramRef: binding.paramRef };
    const params = orFailure(() => collectParams(deps, place, request));
    if ("failure" in params) yield { binding, failure: `failed to configure binding: ${params.failure}` };
    else for (const param of params.value) yield { binding, resource, param, failure: undefined };
  }
}

function orFailure<T>(find: () => T): { value: T } | { failure: string } {
  try {
    return { value: find() };
  } catch (error) {
    if (error instanceof ConfigurationError) return { failure: error.message };
    throw error;
  }
}

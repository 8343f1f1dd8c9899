import { ApiError, forbidden, type JsonObject, sameJson } from "@kintsugi/api";
import type { KubeObject, Resource } from "../../resources/resource.ts";
import type { AdmissionRequest, AdmissionStep, MutationPass } from "../admission.ts";
import { ReinvocationState } from "../chain/reinvocation-state.ts";
import { policyCostMax } from "../expressions/cost-limits.ts";
import { matchesConditions } from "../expressions/match-conditions.ts";
import { RequestValues, worldOf } from "../expressions/request-values.ts";
import { isExempt } from "../matching/rules.ts";
import { describeShown, shownAs, storedFrom } from "../matching/shown-object.ts";
import { mergedWithConfiguration, patchedByOperations } from "./apply-mutation.ts";
import { applicationsOf, type PolicyApplication, type PolicyStepDeps } from "./policy-applications.ts";
import {
  type CompiledMutatingPolicy,
  type CompiledPolicy,
  mutatingPolicyKinds,
  PolicyDirectory,
} from "./policy-directory.ts";
import { PolicyScope } from "./policy-scope.ts";

/** Upstream's MutatingAdmissionPolicy; it is synchronous because it reads only memory. */
export function mutatingPolicies(deps: PolicyStepDeps): AdmissionStep {
  const directory = new PolicyDirectory(deps, mutatingPolicyKinds);
  const states = new WeakMap<MutationPass["reinvocation"], ReinvocationState>();
  return {
    name: "MutatingAdmissionPolicy",
    handles: { operations: ["create", "update", "connect"] },
    concerns: (target) => directory.concerns(target),
    preparation: directory.preparation,
    replace: (request, pass) => {
      if (request.isServers === true || request.object === undefined || isExempt(request.resource.type))
        return undefined;
      let state = states.get(pass.reinvocation);
      if (state === undefined) states.set(pass.reinvocation, (state = new ReinvocationState()));
      return new Mutations(deps, request, { pass, state }).run(directory.list());
    },
  };
}

type Application = Extract<PolicyApplication, { failure: undefined }>;

/** Applies all mutating policies to one request, in one pass. */
class Mutations {
  readonly #deps: PolicyStepDeps;
  readonly #pass: MutationPass;
  readonly #state: ReinvocationState;
  readonly #denials: string[] = [];
  #request: AdmissionRequest;

  constructor(
    deps: PolicyStepDeps,
    request: AdmissionRequest,
    { pass, state }: { pass: MutationPass; state: ReinvocationState },
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#pass = pass;
    this.#state = state;
  }

  /** Returns the object that the policies produced. @throws ApiError when a policy fails closed. */
  run(policies: readonly CompiledMutatingPolicy[]): KubeObject | undefined {
    const { isSecond } = this.#pass.reinvocation;
    const given = this.#request.object;
    if (isSecond && !sameJson(given, this.#state.output)) this.#state.requireReinvocation();
    // All applications are found for the object as the client sent it.
    const planned = policies.flatMap((policy) =>
      [...applicationsOf(this.#deps, policy, this.#request)].map((application) => ({ policy, application })),
    );
    for (const { policy, application } of planned) {
      if (application.failure !== undefined) this.#denied(policy, application.binding?.name, application.failure);
      else this.#apply(policy, application);
    }
    const [first] = this.#denials;
    if (first !== undefined) throw refusalOf(this.#request, first, this.#denials);
    this.#state.output = structuredClone(this.#request.object);
    return this.#request.object === given ? undefined : this.#request.object;
  }

  #apply(policy: CompiledMutatingPolicy, { binding, resource, param }: Application): void {
    const { name = "", namespace = "" } = param?.metadata ?? {};
    const id = `${policy.name}/${binding.name}/${namespace}/${name}`;
    const { isSecond } = this.#pass.reinvocation;
    const before = this.#request.object;
    const matching = this.#scopeOf(policy, { resource, param });
    const match = matchesConditions(
      policy.conditions,
      { variables: matching, world: matching.world },
      policy.failurePolicy,
    );
    if ("error" in match) return this.#denied(policy, binding.name, match.error);
    if (!match.matches || (isSecond && !this.#state.takes(id))) return;
    for (const mutation of policy.mutations) {
      try {
        this.#mutate(mutation, resource, this.#scopeOf(policy, { resource, param }));
      } catch (error) {
        this.#denied(policy, binding.name, (error as Error).message);
      }
    }
    if (!sameJson(before, this.#request.object)) {
      this.#state.requireReinvocation();
      this.#pass.reinvocation.isWanted = true;
    }
    if (policy.isReinvoked) this.#state.addInvoked(id);
  }

  /** @throws Error when the expression or its patch fails. */
  #mutate(
    { patchType, expression }: CompiledMutatingPolicy["mutations"][number],
    resource: Resource,
    scope: PolicyScope,
  ): void {
    const result = scope.evaluate(expression);
    if (result.outcome !== "value") throw new Error(result.message);
    const { subresource, object } = this.#request;
    const shown = shownAs(resource, object, subresource) as unknown as JsonObject;
    const changed =
      patchType === "JSONPatch"
        ? patchedByOperations(shown, result.value)
        : mergedWithConfiguration(shown, result.value, { type: describeShown(resource, subresource) });
    if (changed === shown) return;
    const adopted = this.#pass.adopt(storedFrom(resource, changed as unknown as KubeObject, { object, subresource }));
    this.#request = { ...this.#request, object: adopted };
  }

  /** The object changes from one expression to the next. */
  #scopeOf(policy: CompiledPolicy, subject: { resource: Resource; param: KubeObject | undefined }): PolicyScope {
    return new PolicyScope({
      values: new RequestValues(this.#request, subject.resource),
      world: worldOf(this.#deps.authorizer, this.#request),
      params: subject.param,
      variables: policy.variables,
      cost: { left: policyCostMax },
    });
  }

  #denied({ name, failurePolicy }: CompiledPolicy, binding: string | undefined, message: string): void {
    if (failurePolicy === "Ignore") return;
    const by = binding === undefined ? `policy ${JSON.stringify(name)}` : `policy '${name}' with binding '${binding}'`;
    this.#denials.push(`${by} denied request: ${message}`);
  }
}

function refusalOf({ requested, name }: AdmissionRequest, message: string, all: readonly string[]): ApiError {
  const { details } = forbidden(requested, name, message);
  const causes = all.map((text) => ({ message: text }));
  return new ApiError("Invalid", message, { code: 403, details: { ...details, causes } });
}

import { ApiError, forbidden, type Metrics, statusCodeByReason, type StatusReason } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { KubeObject, Resource } from "../../resources/resource.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission.ts";
import { policyCostMax } from "../expressions/cost-limits.ts";
import { RequestValues, worldOf } from "../expressions/request-values.ts";
import { isExempt } from "../matching/rules.ts";
import { judgeRequest } from "./judge-request.ts";
import { applicationsOf, type PolicyStepDeps } from "./policy-applications.ts";
import {
  type CompiledBinding,
  type CompiledValidatingPolicy,
  PolicyDirectory,
  validatingPolicyKinds,
} from "./policy-directory.ts";
import { createPolicyMetrics, type PolicyCheck } from "./policy-metrics.ts";
import { PolicyScope } from "./policy-scope.ts";

const everyOperation = ["create", "update", "delete", "connect"] as const;

/** Upstream's ValidatingAdmissionPolicy; it is synchronous because it reads only memory. */
export function validatingPolicies(deps: PolicyStepDeps & PolicyMetricsDeps): AdmissionStep {
  const observe = createPolicyMetrics(deps.metrics);
  const directory = new PolicyDirectory(deps, validatingPolicyKinds);
  return {
    name: "ValidatingAdmissionPolicy",
    handles: { operations: everyOperation },
    concerns: (target) => directory.concerns(target),
    preparation: directory.preparation,
    validate: (request) =>
      request.isServers === true || isExempt(request.resource.type)
        ? undefined
        : new Judgement({ ...deps, observe }, request).judge(directory.list()),
  };
}

export interface PolicyMetricsDeps {
  metrics: Metrics;
  clock: Pick<Clock, "monotonicMs">;
}

type JudgementDeps = PolicyStepDeps &
  Pick<PolicyMetricsDeps, "clock"> & {
    observe: (check: PolicyCheck) => void;
  };

interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** Checks one request against all policies. */
class Judgement {
  readonly #deps: JudgementDeps;
  readonly #request: AdmissionRequest;
  readonly #denials: Denial[] = [];
  readonly #values = new Map<Resource, RequestValues>();

  constructor(deps: JudgementDeps, request: AdmissionRequest) {
    this.#deps = deps;
    this.#request = request;
  }

  judge(policies: readonly CompiledValidatingPolicy[]): ApiError | undefined {
    for (const policy of policies) this.#judgeBy(policy);
    const [first] = this.#denials;
    return first === undefined ? undefined : refusalOf(this.#request, first);
  }

  #judgeBy(policy: CompiledValidatingPolicy): void {
    const annotations = new Map<string, string[]>();
    for (const application of applicationsOf(this.#deps, policy, this.#request)) {
      const { binding, failure } = application;
      if (failure === undefined) this.#judgeWith(policy, application.binding, { ...application, annotations });
      else if (policy.failurePolicy !== "Ignore") {
        this.#denials.push({ policy: policy.name, binding: binding?.name, message: failure, reason: "" });
      }
    }
    for (const [key, values] of annotations) this.#annotate(`${policy.name}/${key}`, values.join(", "));
  }

  #judgeWith(
    policy: CompiledValidatingPolicy,
    binding: CompiledBinding,
    by: { resource: Resource; param: KubeObject | undefined; annotations: Map<string, string[]> },
  ): void {
    const scope = new PolicyScope({
      values: this.#valuesOf(by.resource),
      world: worldOf(this.#deps.authorizer, this.#request),
      params: by.param,
      variables: policy.variables,
      cost: { left: policyCostMax },
    });
    const { clock, observe } = this.#deps;
    const startedMs = clock.monotonicMs();
    const { decisions, annotations, annotationErrors } = judgeRequest(policy, scope);
    const seconds = (clock.monotonicMs() - startedMs) / 1000 / Math.max(1, decisions.length);
    for (const decision of decisions) {
      const error = !decision.admits && decision.isError ? decision.message : undefined;
      const actions = decision.admits ? (["allow"] as const) : enforcementActions(binding);
      for (const action of actions) observe({ policy: policy.name, binding: binding.name, action, error, seconds });
    }
    for (const [index, decision] of decisions.entries()) {
      if (!decision.admits) this.#enact(policy, binding, { index, ...decision });
    }
    for (const { key, value } of annotations) {
      const values = by.annotations.get(key) ?? [];
      // Several sets of parameters may have the same value.
      if (!values.includes(value)) by.annotations.set(key, [...values, value]);
    }
    for (const message of annotationErrors) {
      this.#denials.push({ policy: policy.name, binding: binding.name, message, reason: "" });
    }
  }

  #enact(
    { name: policy }: CompiledValidatingPolicy,
    { name: binding, actions }: CompiledBinding,
    { index, message, reason }: { index: number; message: string; reason: string },
  ): void {
    if (actions.includes("Deny")) this.#denials.push({ policy, binding, message, reason });
    if (actions.includes("Audit")) {
      const failure = { message, policy, binding, expressionIndex: index, validationActions: actions };
      this.#annotate("validation.policy.admission.k8s.io/validation_failure", JSON.stringify([failure]));
    }
    if (!actions.includes("Warn")) return;
    const text = `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${message}`;
    const { warnings } = this.#request;
    if (!warnings.includes(text)) warnings.push(text);
  }

  #annotate(key: string, value: string): void {
    this.#request.trail?.annotate(key, value);
  }

  #valuesOf(resource: Resource): RequestValues {
    let values = this.#values.get(resource);
    if (values === undefined) this.#values.set(resource, (values = new RequestValues(this.#request, resource)));
    return values;
  }
}

/** Upstream's words for a binding's action on a rejection. */
function enforcementActions({ actions }: CompiledBinding): PolicyCheck["action"][] {
  const words = { Deny: "deny", Audit: "audit", Warn: "warn" } as const;
  return (["Deny", "Audit", "Warn"] as const).filter((action) => actions.includes(action)).map((each) => words[each]);
}

function refusalOf({ requested, name }: AdmissionRequest, { policy, binding, message, reason }: Denial): ApiError {
  const by = binding === undefined ? "" : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { message: whole, details } = forbidden(requested, name, text);
  const known: StatusReason =
    reason !== "" && Object.hasOwn(statusCodeByReason, reason) ? (reason as StatusReason) : "Invalid";
  return new ApiError(known, whole, { details: { ...details, causes: [{ message: text }] } });
}

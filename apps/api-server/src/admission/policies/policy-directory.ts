import {
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  type ParamKind,
  type ParamRef,
  type ResourceType,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from "@kintsugi/api";
import type { Store } from "@kintsugi/store";
import type { Resource } from "../../resources/resource.ts";
import { decodeEntry } from "../../resources/encoding.ts";
import { storePrefix } from "../../resources/keys.ts";
import type { AdmissionTarget } from "../admission.ts";
import type { CompiledExpression } from "../expressions/compiled-expression.ts";
import { DirectoryExpressions, type FindExpression } from "../expressions/directory-expressions.ts";
import { type CompiledCondition, compileConditions } from "../expressions/match-conditions.ts";
import { type CompiledMatch, compileMatch, mayMatch } from "./compiled-match.ts";
import type { FindEquivalents } from "../matching/equivalents.ts";
import { isExempt } from "../matching/rules.ts";

/** A binding of a policy, with parsed selectors. */
export interface CompiledBinding {
  readonly name: string;
  readonly paramRef: ParamRef | undefined;
  /** Absent where only the policy selects. */
  readonly match: CompiledMatch | undefined;
  /** The effects of a failed validation; a mutating policy has no effects. */
  readonly actions: readonly string[];
}

/** A policy with its bindings. A policy without bindings has no effect and is omitted. */
export interface CompiledPolicy {
  readonly name: string;
  readonly failurePolicy: string;
  readonly paramKind: ParamKind | undefined;
  readonly constraints: CompiledMatch;
  readonly conditions: readonly CompiledCondition[];
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly bindings: readonly CompiledBinding[];
}

export interface CompiledValidation {
  readonly expression: CompiledExpression;
  readonly messageExpression: CompiledExpression | undefined;
  readonly message: string;
  readonly reason: string | undefined;
}

export interface CompiledValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly CompiledValidation[];
  readonly auditAnnotations: readonly { readonly key: string; readonly expression: CompiledExpression }[];
}

export interface CompiledMutatingPolicy extends CompiledPolicy {
  readonly mutations: readonly { readonly patchType: string; readonly expression: CompiledExpression }[];
  /** True where a later change of the object applies the policy again. */
  readonly isReinvoked: boolean;
}

type Spec = NonNullable<ValidatingAdmissionPolicy["spec"]> | NonNullable<MutatingAdmissionPolicy["spec"]>;
type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

/** The kinds of one type of policy and of its bindings. */
export interface PolicyKinds<P extends CompiledPolicy> {
  readonly policies: ResourceType;
  readonly bindings: ResourceType;
  compile(common: CompiledPolicy, spec: Spec, find: FindExpression): P;
}

/**
 * The policies that have bindings. They are read again after a change of a policy or binding. A
 * request is checked against the state that was committed before the request, while upstream may
 * lag behind. While no policy exists, a request does not read the store.
 */
export class PolicyDirectory<P extends CompiledPolicy> {
  readonly #store: Store;
  readonly #kinds: PolicyKinds<P>;
  readonly #equivalents: FindEquivalents;
  readonly #expressions = new DirectoryExpressions();
  /** Compiles the expressions of all policies that are bound. */
  readonly preparation = this.#expressions.preparation(() => void this.list());
  #policies: readonly P[] | undefined;
  /** The cached results of `concerns`, which every write calls. */
  #concerned = new WeakMap<Resource, Map<string, boolean>>();

  constructor({ store, equivalents }: { store: Store; equivalents: FindEquivalents }, kinds: PolicyKinds<P>) {
    this.#store = store;
    this.#kinds = kinds;
    this.#equivalents = equivalents;
    const prefixes = [kinds.policies, kinds.bindings].map((type) => storePrefix(type, ""));
    store.subscribe((changes) => {
      for (const { entry } of changes) {
        if (!prefixes.some((prefix) => entry.key.startsWith(prefix))) continue;
        this.#policies = undefined;
        this.#concerned = new WeakMap();
        return;
      }
    });
  }

  /** Lists the policies that have bindings, by name. */
  list(): readonly P[] {
    return (this.#policies ??= this.#expressions.reread((find) => this.#read(find)));
  }

  /** Reports whether any policy may apply to such requests. */
  concerns(target: AdmissionTarget): boolean {
    const policies = this.list();
    if (policies.length === 0 || isExempt(target.resource.type)) return false;
    let answers = this.#concerned.get(target.resource);
    if (answers === undefined) this.#concerned.set(target.resource, (answers = new Map()));
    const key = `${target.operation}/${target.subresource}`;
    let answer = answers.get(key);
    if (answer === undefined) {
      answer = policies.some(({ constraints }) => mayMatch(constraints, target, this.#equivalents));
      answers.set(key, answer);
    }
    return answer;
  }

  #read(find: FindExpression): P[] {
    const bindings = new Map<string, CompiledBinding[]>();
    for (const { metadata, spec } of this.#objects(this.#kinds.bindings) as Binding[]) {
      const { policyName = "", paramRef, matchResources } = spec ?? {};
      const binding = {
        name: metadata.name ?? "",
        paramRef,
        match: matchResources === undefined ? undefined : compileMatch(matchResources),
        actions: spec !== undefined && "validationActions" in spec ? spec.validationActions : [],
      };
      bindings.set(policyName, [...(bindings.get(policyName) ?? []), binding]);
    }
    if (bindings.size === 0) return [];
    return (this.#objects(this.#kinds.policies) as { metadata: { name?: string }; spec?: Spec }[]).flatMap(
      ({ metadata: { name = "" }, spec = {} }) => {
        const bound = bindings.get(name);
        if (bound === undefined) return [];
        const { failurePolicy = "Fail", paramKind, matchConstraints, matchConditions, variables = [] } = spec;
        const common = {
          name,
          failurePolicy,
          paramKind,
          constraints: compileMatch(matchConstraints),
          conditions: compileConditions(matchConditions, find),
          variables: new Map(variables.map((variable) => [variable.name, find(variable.expression)])),
          bindings: bound,
        };
        return [this.#kinds.compile(common, spec, find)];
      },
    );
  }

  #objects(type: ResourceType): unknown[] {
    return this.#store.list(storePrefix(type, "")).entries.map((entry) => decodeEntry(entry));
  }
}

export const validatingPolicyKinds: PolicyKinds<CompiledValidatingPolicy> = {
  policies: validatingAdmissionPolicies,
  bindings: validatingAdmissionPolicyBindings,
  compile: (common, spec, find) => {
    const { validations = [], auditAnnotations = [] } = spec as NonNullable<ValidatingAdmissionPolicy["spec"]>;
    return {
      ...common,
      validations: validations.map(({ expression, messageExpression = "", message = "", reason }) => ({
        expression: find(expression),
        messageExpression: messageExpression.trim() === "" ? undefined : find(messageExpression),
        message,
        reason,
      })),
      auditAnnotations: auditAnnotations.map(({ key, valueExpression }) => ({
        key,
        expression: find(valueExpression.trim()),
      })),
    };
  },
};

export const mutatingPolicyKinds: PolicyKinds<CompiledMutatingPolicy> = {
  policies: mutatingAdmissionPolicies,
  bindings: mutatingAdmissionPolicyBindings,
  compile: (common, spec, find) => {
    const { mutations = [], reinvocationPolicy } = spec as NonNullable<MutatingAdmissionPolicy["spec"]>;
    return {
      ...common,
      mutations: mutations.map(({ patchType, applyConfiguration, jsonPatch }) => ({
        patchType,
        expression: find((applyConfiguration ?? jsonPatch)?.expression ?? ""),
      })),
      isReinvoked: reinvocationPolicy === "IfNeeded",
    };
  },
};

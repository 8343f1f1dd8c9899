import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, integerColumn, nameColumn } from "../../../table/columns.ts";
import type { Faults } from "../../../validation/faults.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import type { ExpressionSet } from "../../expression-set.ts";
import { setMatchDefaults } from "../policies/policy-defaults.ts";
import {
  conditionExpressions,
  expressionStrategy,
  variableExpressions,
  written,
} from "../policies/policy-expressions.ts";
import { paramKindText } from "../policies/policy-table.ts";
import { validatePolicySpec } from "../policies/policy-validation.ts";
import { sameInVersion } from "../../same-in-version.ts";
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPoliciesV1alpha1,
  mutatingAdmissionPoliciesV1beta1,
} from "./mutating-admission-policy-type.ts";
import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyV1alpha1,
  MutatingAdmissionPolicyV1beta1,
} from "./mutating-admission-policy.ts";

const common: Omit<KindDefinition<MutatingAdmissionPolicy>, "type" | "schema" | "view"> = {
  defaults: ({ spec }) => {
    if (spec === undefined) return;
    spec.failurePolicy ??= "Fail";
    setMatchDefaults(spec.matchConstraints);
  },
  validation: { validate },
  strategy: { generation: true, ...expressionStrategy(expressionsOf) },
  table: {
    columns: [
      nameColumn,
      integerColumn("Mutations", "Number of mutations in the policy."),
      column("ParamKind", "Kind of the policy's parameters."),
      ageColumn,
    ],
    cells: (policy, nowMs) => [
      policy.metadata.name ?? "",
      policy.spec?.mutations?.length ?? 0,
      paramKindText(policy.spec?.paramKind),
      formatAge(policy, nowMs),
    ],
  },
};

export const mutatingAdmissionPolicyKind = defineKind<MutatingAdmissionPolicy>({
  ...common,
  type: mutatingAdmissionPolicies,
  schema: MutatingAdmissionPolicy,
});

/** The same objects for clients of 1.34 and 1.35. */
export const mutatingAdmissionPolicyV1beta1Kind = defineKind<MutatingAdmissionPolicy>({
  ...common,
  type: mutatingAdmissionPoliciesV1beta1,
  schema: MutatingAdmissionPolicyV1beta1,
  view: sameInVersion(mutatingAdmissionPoliciesV1beta1, mutatingAdmissionPolicies),
});

/** The same objects for clients of 1.32 and 1.33. */
export const mutatingAdmissionPolicyV1alpha1Kind = defineKind<MutatingAdmissionPolicy>({
  ...common,
  type: mutatingAdmissionPoliciesV1alpha1,
  schema: MutatingAdmissionPolicyV1alpha1,
  view: sameInVersion(mutatingAdmissionPoliciesV1alpha1, mutatingAdmissionPolicies),
});

type Mutation = NonNullable<NonNullable<MutatingAdmissionPolicy["spec"]>["mutations"]>[number];

function validate({ spec = {} }: MutatingAdmissionPolicy, faults: Faults): void {
  validatePolicySpec(spec, faults);
  const { mutations = [], reinvocationPolicy } = spec;
  if (mutations.length === 0) faults.required("spec.mutations", "mutations must contain at least one item");
  for (const [index, mutation] of mutations.entries()) {
    validateMutation(mutation, `spec.mutations[${index}]`, faults);
  }
  faults.oneOf("spec.reinvocationPolicy", reinvocationPolicy, ["Never", "IfNeeded"]);
}

const fieldOf = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;
const patchTypes = ["ApplyConfiguration", "JSONPatch"] as const;

function validateMutation(mutation: Mutation, path: string, faults: Faults): void {
  const { patchType } = mutation;
  if (!patchTypes.includes(patchType)) return faults.oneOf(`${path}.patchType`, patchType, patchTypes);
  for (const type of patchTypes) {
    const name = fieldOf[type];
    const patch = mutation[name];
    if (type !== patchType) {
      if (patch !== undefined) {
        faults.forbidden(`${path}.${name}`, `must not be specified when patchType is ${patchType}`);
      }
    } else if (patch === undefined) {
      faults.required(`${path}.${name}`, `must be specified when patchType is ${patchType}`);
    } else if ((patch.expression ?? "").trim() === "") {
      faults.required(`${path}.${name}.expression`, "expression is not specified");
    }
  }
}

function expressionsOf({ spec = {} }: MutatingAdmissionPolicy): ExpressionSet {
  const common = { authorizer: true, variables: true };
  return {
    params: spec.paramKind !== undefined,
    patches: true,
    variables: variableExpressions(spec.variables),
    expressions: [
      ...conditionExpressions(spec.matchConditions, "spec.matchConditions"),
      ...written(
        (spec.mutations ?? []).flatMap(({ applyConfiguration, jsonPatch }, index) => [
          {
            ...common,
            field: `spec.mutations[${index}].applyConfiguration.expression`,
            text: applyConfiguration?.expression ?? "",
            returns: ["Object"] as const,
          },
          {
            ...common,
            field: `spec.mutations[${index}].jsonPatch.expression`,
            text: jsonPatch?.expression ?? "",
            returns: ["list(JSONPatch)"] as const,
          },
        ]),
      ),
    ],
  };
}

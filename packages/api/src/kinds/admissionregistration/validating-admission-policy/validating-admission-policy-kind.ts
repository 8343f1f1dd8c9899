import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, integerColumn, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import type { ExpressionSet } from "../../expression-set.ts";
import { setMatchDefaults } from "../policies/policy-defaults.ts";
import {
  conditionExpressions,
  expressionStrategy,
  variableExpressions,
  written,
} from "../policies/policy-expressions.ts";
import { paramKindText } from "../policies/policy-table.ts";
import { validatingAdmissionPolicies } from "./validating-admission-policy-type.ts";
import { validatePolicyStatus, validateValidatingPolicy } from "./validating-admission-policy-validation.ts";
import { ValidatingAdmissionPolicy } from "./validating-admission-policy.ts";

export const validatingAdmissionPolicyKind = defineKind<ValidatingAdmissionPolicy>({
  type: validatingAdmissionPolicies,
  schema: ValidatingAdmissionPolicy,
  defaults: ({ spec }) => {
    if (spec === undefined) return;
    spec.failurePolicy ??= "Fail";
    setMatchDefaults(spec.matchConstraints);
  },
  validation: { validate: validateValidatingPolicy, status: validatePolicyStatus },
  strategy: { status: true, generation: true, ...expressionStrategy(expressionsOf) },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      integerColumn("Validations", "Number of validations in the policy."),
      column("ParamKind", "Kind of the policy's parameters."),
      ageColumn,
    ],
    cells: (policy, nowMs) => [
      policy.metadata.name ?? "",
      policy.spec?.validations?.length ?? 0,
      paramKindText(policy.spec?.paramKind),
      formatAge(policy, nowMs),
    ],
  },
});

function expressionsOf({ spec = {} }: ValidatingAdmissionPolicy): ExpressionSet {
  const { validations = [], auditAnnotations = [] } = spec;
  const common = { authorizer: true, variables: true };
  return {
    params: spec.paramKind !== undefined,
    patches: false,
    variables: variableExpressions(spec.variables),
    expressions: [
      ...conditionExpressions(spec.matchConditions, "spec.matchConditions"),
      ...written(
        validations.flatMap(({ expression, messageExpression = "" }, index) => [
          { ...common, field: `spec.validations[${index}].expression`, text: expression, returns: ["bool"] as const },
          {
            ...common,
            field: `spec.validations[${index}].messageExpression`,
            text: messageExpression,
            returns: ["string"] as const,
            authorizer: false,
          },
        ]),
      ),
      ...written(
        auditAnnotations.map(({ valueExpression }, index) => ({
          ...common,
          field: `spec.auditAnnotations[${index}].valueExpression`,
          text: valueExpression.trim(),
          returns: ["string", "null_type"] as const,
        })),
      ),
    ],
  };
}

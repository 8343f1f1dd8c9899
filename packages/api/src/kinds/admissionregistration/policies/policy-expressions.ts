import { sameJson } from "../../../values/json.ts";
import type { ValidationIssue } from "../../../validation/faults.ts";
import type { CheckedExpression, ExpressionSet } from "../../expression-set.ts";
import type { KindStrategy, PrepareContext, PrepareUpdate } from "../../kind-strategy.ts";
import type { ApiObject } from "../../../meta/api-object.ts";
import type { MatchCondition, Webhook } from "../webhooks/webhook.ts";
import type { ParamKind, PolicyVariable } from "./policy-parts.ts";

/** Expressions of match conditions; validation reports blank expressions. */
export function conditionExpressions(conditions: readonly MatchCondition[] = [], path: string): CheckedExpression[] {
  return written(
    conditions.map(({ expression }, index) => ({
      field: `${path}[${index}].expression`,
      // Upstream trims an expression before compiling it, so a column does not count leading
      // blanks.
      text: expression.trim(),
      returns: ["bool"] as const,
      authorizer: true,
      variables: false,
    })),
  );
}

/** Leaves out blank expressions. */
export function written(expressions: readonly CheckedExpression[]): CheckedExpression[] {
  return expressions.filter(({ text }) => text.trim() !== "");
}

export function variableExpressions(variables: readonly PolicyVariable[] = []): ExpressionSet["variables"] {
  return variables.flatMap(({ name, expression: text }, index) =>
    name.trim() === "" || text.trim() === "" ? [] : [{ field: `spec.variables[${index}].expression`, name, text }],
  );
}

interface WithExpressions extends ApiObject {
  spec?: { paramKind?: ParamKind | undefined } | undefined;
}

/**
 * The strategy's checks of a policy. A stored policy is not compiled again while its spec is
 * unchanged, so that a newer server does not reject a change of its labels.
 */
export function expressionStrategy<T extends WithExpressions>(
  expressionsOf: (policy: T) => ExpressionSet,
): Pick<KindStrategy<T>, "validateNew" | "validateChanged" | "hasExpressions"> {
  return {
    hasExpressions: true,
    validateNew: (policy: T, context: PrepareContext): readonly ValidationIssue[] =>
      context.checkExpressions(expressionsOf(policy)),
    validateChanged: (policy: T, before: T, context: PrepareUpdate): readonly ValidationIssue[] =>
      context.subresource !== "" || sameJson(policy.spec ?? {}, before.spec ?? {})
        ? []
        : context.checkExpressions(expressionsOf(policy)),
  };
}

/** The strategy's checks of a configuration of webhooks. */
export function webhookExpressionStrategy<T extends ApiObject & { webhooks?: readonly Webhook[] | undefined }>(): Pick<
  KindStrategy<T>,
  "validateNew" | "validateChanged" | "hasExpressions"
> {
  const conditionsOf = ({ webhooks = [] }: T) => webhooks.map(({ matchConditions }) => matchConditions ?? []);
  const check = (configuration: T, context: PrepareContext): readonly ValidationIssue[] =>
    context.checkExpressions({
      params: false,
      patches: false,
      variables: [],
      expressions: conditionsOf(configuration).flatMap((conditions, index) =>
        conditionExpressions(conditions, `webhooks[${index}].matchConditions`),
      ),
    });
  return {
    hasExpressions: true,
    validateNew: check,
    validateChanged: (configuration: T, before: T, context: PrepareUpdate) =>
      sameJson(conditionsOf(configuration), conditionsOf(before)) ? [] : check(configuration, context),
  };
}

import type { MatchCondition } from "@kintsugi/api";
import type { CelWorld } from "@kintsugi/cel";
import { type CompiledExpression, evaluateExpression } from "./compiled-expression.ts";
import { conditionsCostMax } from "./cost-limits.ts";
import type { FindExpression } from "./directory-expressions.ts";

export interface CompiledCondition {
  readonly name: string;
  readonly expression: CompiledExpression;
}

export function compileConditions(
  conditions: readonly MatchCondition[] | undefined,
  find: FindExpression,
): CompiledCondition[] {
  return (conditions ?? []).map(({ name, expression }) => ({ name, expression: find(expression.trim()) }));
}

/**
 * Reports whether a request fulfils all conditions. A condition that is false takes precedence over
 * a condition that fails. A failure counts as no match with the failure policy Ignore.
 */
export function matchesConditions(
  conditions: readonly CompiledCondition[],
  { variables, world }: { variables: object; world: CelWorld },
  failurePolicy: string | undefined,
): { matches: boolean } | { error: string } {
  const cost = { left: conditionsCostMax };
  const errors: string[] = [];
  for (const { expression } of conditions) {
    const result = evaluateExpression(expression, { variables, world, cost });
    if (result.outcome === "value" && result.value === true) continue;
    if (result.outcome === "value" && result.value === false) return { matches: false };
    errors.push(
      result.outcome === "value" ? `expression '${expression.text}' is neither true nor false` : result.message,
    );
    if (result.outcome === "exhausted") break;
  }
  if (errors.length === 0) return { matches: true };
  if (failurePolicy === "Ignore") return { matches: false };
  const unique = [...new Set(errors)];
  return { error: unique.length === 1 ? (unique[0] as string) : `[${unique.join(", ")}]` };
}

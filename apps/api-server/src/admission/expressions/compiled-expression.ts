import { type CelExpression, compileCel, type CelWorld } from "@kintsugi/cel";

/** An expression of a policy or webhook, which may have been stored by another version. */
export type CompiledExpression =
  | { readonly text: string; readonly expression: CelExpression }
  | { readonly text: string; readonly fault: string };

export function compileExpression(text: string): CompiledExpression {
  try {
    return { text, expression: compileCel(text) };
  } catch (error) {
    return { text, fault: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Upstream's limits of one evaluation and of the match conditions of a policy, and a quarter of its
 * limit of a policy: no other request is answered meanwhile.
 */
const callCostMax = 1_000_000;
export const policyCostMax = 2_500_000;
export const conditionsCostMax = 2_500_000;

/** The cost that the expressions of a policy may still have together. */
export interface CostLeft {
  left: number;
}

export type ExpressionOutcome =
  | { readonly outcome: "value"; readonly value: unknown }
  | { readonly outcome: "error"; readonly message: string }
  /** No other expression of the policy may be evaluated either. */
  | { readonly outcome: "exhausted"; readonly message: string };

const exhausted: ExpressionOutcome = {
  outcome: "exhausted",
  message: "validation failed due to running out of cost budget, no further validation rules will be run",
};

/** Evaluates with upstream's words for what may go wrong. */
export function evaluateExpression(
  compiled: CompiledExpression,
  { variables, world, cost }: { variables: object; world: CelWorld; cost: CostLeft },
): ExpressionOutcome {
  if ("fault" in compiled) return { outcome: "error", message: `compilation error: ${compiled.fault}` };
  const limit = Math.min(callCostMax, cost.left);
  const budget = { costLeft: limit };
  const result = compiled.expression.evaluate(variables as Readonly<Record<string, unknown>>, budget, world);
  const spent = limit - budget.costLeft;
  if (spent > cost.left) {
    cost.left = -1;
    return exhausted;
  }
  cost.left -= spent;
  if (result.outcome === "value") return result;
  const because = result.outcome === "error" ? result.message : "operation cancelled: actual cost limit exceeded";
  return { outcome: "error", message: `expression '${compiled.text}' resulted in error: ${because}` };
}

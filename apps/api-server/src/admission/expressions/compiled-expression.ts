import { messageOf } from "@kintsugi/api";
import { type CelExpression, compileCel, type CelWorld } from "@kintsugi/cel";
import { callCostMax } from "./cost-limits.ts";

/**
 * An expression of a policy or webhook, which another version may have stored. It is compiled at
 * its first use.
 */
export class CompiledExpression {
  readonly text: string;
  #outcome: { expression: CelExpression } | { fault: string } | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get isCompiled(): boolean {
    return this.#outcome !== undefined;
  }

  compile(): { expression: CelExpression } | { fault: string } {
    return (this.#outcome ??= outcomeOf(this.text));
  }
}

function outcomeOf(text: string): { expression: CelExpression } | { fault: string } {
  try {
    return { expression: compileCel(text) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

/** The cost that remains for the expressions of a policy. */
export interface CostLeft {
  left: number;
}

export type ExpressionOutcome =
  | { readonly outcome: "value"; readonly value: unknown }
  | { readonly outcome: "error"; readonly message: string }
  /** No other expression of the policy may be evaluated after this error. */
  | { readonly outcome: "exhausted"; readonly message: string };

const exhausted: ExpressionOutcome = {
  outcome: "exhausted",
  message: "validation failed due to running out of cost budget, no further validation rules will be run",
};

/** Evaluates the expression. Errors have upstream's wording. */
export function evaluateExpression(
  compiled: CompiledExpression,
  { variables, world, cost }: { variables: object; world: CelWorld; cost: CostLeft },
): ExpressionOutcome {
  const outcome = compiled.compile();
  if ("fault" in outcome) return { outcome: "error", message: `compilation error: ${outcome.fault}` };
  const limit = Math.min(callCostMax, cost.left);
  const budget = { costLeft: limit };
  const result = outcome.expression.evaluate(variables as Readonly<Record<string, unknown>>, budget, world);
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

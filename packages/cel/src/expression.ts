import { celEnv, isCelError, parse, plan } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import type { Expr } from "./expr.ts";
import { kubernetesFunctions } from "./library/functions.ts";
import { type CelBudget, withBudget } from "./meter.ts";
import { withoutOptionalSyntax } from "./optional-syntax.ts";
import { metered } from "./rewrite.ts";

/** A compiled expression. */
export interface CelExpression {
  /** The syntax tree as it was written. */
  readonly expr: Expr;
  evaluate(variables: Readonly<Record<string, unknown>>, budget: CelBudget): CelOutcome;
}

export type CelOutcome =
  | { outcome: "value"; value: unknown }
  | { outcome: "error"; message: string }
  /** The evaluation would have cost more than its budget. */
  | { outcome: "tooCostly" };

/** Upstream has no limit of its own; a longer expression would take long to compile. */
const expressionLengthMax = 16 * 1024;

/** @throws Error with the parser's explanation when the text is no expression. */
export function compileCel(text: string): CelExpression {
  if (text.length > expressionLengthMax) {
    throw new Error(`expression is longer than ${expressionLengthMax} characters`);
  }
  const parsed = parse(withoutOptionalSyntax(text));
  if (parsed.expr === undefined) throw new Error("expression is empty");
  const planned = plan(environment(), { ...parsed, expr: metered(parsed.expr) } as typeof parsed);
  return {
    expr: parsed.expr,
    evaluate: (variables, budget) => withBudget(budget, () => outcomeOf(() => planned(variables as never), budget)),
  };
}

function outcomeOf(evaluate: () => unknown, budget: CelBudget): CelOutcome {
  let value: unknown;
  try {
    value = evaluate();
  } catch (error) {
    if (budget.costLeft < 0) return { outcome: "tooCostly" };
    return { outcome: "error", message: error instanceof Error ? error.message : String(error) };
  }
  if (budget.costLeft < 0) return { outcome: "tooCostly" };
  return isCelError(value) ? { outcome: "error", message: value.message } : { outcome: "value", value };
}

type Environment = ReturnType<typeof celEnv>;
let made: Environment | undefined;

/** The functions of Kubernetes 1.33, made at the first use. */
function environment(): Environment {
  return (made ??= celEnv({ funcs: [...strings, ...kubernetesFunctions] }) as Environment);
}

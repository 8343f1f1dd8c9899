import { celEnv, isCelError, parse, plan } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import type { Expr } from "./expr.ts";
import { kubernetesFunctions } from "./library/functions.ts";
import { type CelBudget, type CelWorld, withBudget } from "./meter.ts";
import { withoutOptionalSyntax } from "./optional-syntax.ts";
import type { StaticType } from "./check/cel-types.ts";
import { checkTypes } from "./check/check-expression.ts";
import { faultText } from "./check/fault-text.ts";
import { withMacros } from "./macros.ts";
import { metered, stepCost } from "./rewrite.ts";

/** A compiled expression. */
export interface CelExpression {
  /** The syntax tree as it was written. */
  readonly expr: Expr;
  /**
   * Infers the type of the value from the types of the variables; faults are texts of upstream's
   * library, with line and column.
   */
  check(variables: Readonly<Record<string, StaticType>>): { type: StaticType; faults: readonly string[] };
  /** Costs at least as much as a turn of a loop. */
  evaluate(variables: Readonly<Record<string, unknown>>, budget: CelBudget, world?: CelWorld): CelOutcome;
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
  const written = withoutOptionalSyntax(text);
  const parsed = parse(written);
  if (parsed.expr === undefined) throw new Error("expression is empty");
  const expr = withMacros(parsed.expr);
  const planned = plan(environment(), { ...parsed, expr: metered(expr) } as typeof parsed);
  return {
    expr,
    check: (variables) => checkAs(expr, variables, { text: written, positions: parsed.sourceInfo?.positions ?? {} }),
    evaluate: (variables, budget, world = {}) => {
      budget.costLeft -= stepCost;
      return withBudget(budget, world, () => withoutTraces(() => outcomeOf(() => planned(variables as never), budget)));
    },
  };
}

function checkAs(
  expr: Expr,
  variables: Readonly<Record<string, StaticType>>,
  source: { text: string; positions: Readonly<Record<string, number>> },
): { type: StaticType; faults: string[] } {
  const { type, faults } = checkTypes(expr, variables);
  return { type, faults: faults.map((fault) => faultText(fault, source)) };
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
  return isCelError(value) ? { outcome: "error", message: worded(value.message) } : { outcome: "value", value };
}

/** Upstream's library has other words, which users search for. */
function worded(message: string): string {
  return message
    .replace(/^field not found: /, "no such key: ")
    .replace(/^\w+ (?:divide|modulus) by zero$/, "division by zero")
    .replace(/^index (-?\d+) out of bounds .*$/, "index out of bounds: $1");
}

/**
 * A loop may meet as many errors as it has turns, and the library makes an Error of each, whose
 * trace is never read.
 */
function withoutTraces<T>(evaluate: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return evaluate();
  } finally {
    Error.stackTraceLimit = before;
  }
}

type Environment = ReturnType<typeof celEnv>;
let made: Environment | undefined;

/** The functions of Kubernetes 1.33, made at the first use. */
function environment(): Environment {
  return (made ??= celEnv({ funcs: [...strings, ...kubernetesFunctions] }) as Environment);
}

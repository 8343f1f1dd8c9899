import { celEnv, type CelFunc, isCelError, parse, plan } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import type { Expr } from "./syntax-tree.ts";
import { kubernetesFunctions } from "./library/functions.ts";
import { type CelBudget, type CelWorld, withBudget } from "./cost/meter.ts";
import { priced } from "./cost/prices.ts";
import { withoutOptionalSyntax, withShortBlanks } from "./optional-syntax.ts";
import type { StaticType } from "./check/cel-types.ts";
import { childrenOf } from "./check/children.ts";
import { checkTypes } from "./check/check-expression.ts";
import { faultText } from "./check/fault-text.ts";
import { withMacros } from "./macros.ts";
import { costOfTurn, metered } from "./rewrite.ts";

/** A compiled expression. */
export interface CelExpression {
  /** The syntax tree of the text, without the rewritten parts. */
  readonly expr: Expr;
  /**
   * Infers the type of the value from the types of the variables. Faults have the messages of
   * upstream's library, with line and column.
   */
  check(variables: Readonly<Record<string, StaticType>>): { type: StaticType; faults: readonly string[] };
  /** A call costs at least as much as a turn of a loop. */
  evaluate(variables: Readonly<Record<string, unknown>>, budget: CelBudget, world?: CelWorld): CelOutcome;
}

export type CelOutcome =
  | { outcome: "value"; value: unknown }
  | { outcome: "error"; message: string }
  /** The evaluation would have cost more than its budget. */
  | { outcome: "tooCostly" };

/**
 * Upstream's limit for an expression about devices, which applies to all expressions here. A
 * character takes about 5 µs to compile, and the server does not answer other requests in the
 * meantime.
 */
export const expressionLengthMax = 10 * 1024;
/** Upstream's limits on nesting, and on the number of reported faults. */
const [depthMax, faultsMax] = [250, 100];

/** @throws Error with the parser's explanation when the text is not an expression. */
export function compileText(text: string): CelExpression {
  const steps = compileSteps(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Compiles in two steps, which take about the same time, so that other requests can be answered
 * between the steps. @throws Error with the parser's explanation when the text is not an
 * expression.
 */
export function* compileSteps(text: string): Generator<void, CelExpression> {
  if (text.length > expressionLengthMax) {
    throw new Error(`expression is longer than ${expressionLengthMax} characters`);
  }
  const written = withoutOptionalSyntax(withShortBlanks(text));
  const parsed = parsedText(written);
  if (parsed.expr === undefined) throw new Error("expression is empty");
  checkDepth(parsed.expr);
  yield;
  const expr = withMacros(parsed.expr);
  const cost = costOfTurn(expr);
  const planned = plan(environment(), { ...parsed, expr: metered(expr) } as typeof parsed);
  return {
    expr,
    check: (variables) => checkAs(expr, variables, { text: written, positions: parsed.sourceInfo?.positions ?? {} }),
    evaluate: (variables, budget, world = {}) => {
      budget.costLeft -= cost;
      if (budget.costLeft < 0) return { outcome: "tooCostly" };
      return withBudget(budget, world, () => withoutTraces(() => outcomeOf(() => planned(variables as never), budget)));
    },
  };
}

/** The parser recurses as deep as the text is nested, and may exhaust the stack. */
function parsedText(text: string): ReturnType<typeof parse> {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
}

/** Every step after parsing recurses as deep as the expression is nested. @throws Error */
function checkDepth(expr: Expr): void {
  let level = [expr];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > depthMax) throw tooDeep();
    level = level.flatMap(childrenOf);
  }
}

function tooDeep(): Error {
  return new Error(`expression recursion limit exceeded: ${depthMax}`);
}

function checkAs(
  expr: Expr,
  variables: Readonly<Record<string, StaticType>>,
  source: { text: string; positions: Readonly<Record<string, number>> },
): { type: StaticType; faults: string[] } {
  const { type, faults } = checkTypes(expr, variables);
  const texts = faults.slice(0, faultsMax).map((fault) => faultText(fault, source));
  if (faults.length > faultsMax) texts.push(`${faults.length - faultsMax} more errors were truncated`);
  return { type, faults: texts };
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

/** Upstream's library uses different words, for which users search. */
function worded(message: string): string {
  return message
    .replace(/^field not found: /, "no such key: ")
    .replace(/^\w+ (?:divide|modulus) by zero$/, "division by zero")
    .replace(/^index (-?\d+) out of bounds .*$/, "index out of bounds: $1");
}

/**
 * A loop may produce as many errors as it has turns. The library makes an Error of each, whose
 * stack trace is never read.
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

/** The functions of Kubernetes 1.33, each with its price, created at the first use. */
function environment(): Environment {
  if (made !== undefined) return made;
  const { funcs } = celEnv({ funcs: [...strings, ...kubernetesFunctions] });
  made = celEnv({ funcs: [...funcs].map(priced) });
  return made;
}

/** The functions that expressions may call, for tests that measure each function. */
export function callableFunctions(): Iterable<CelFunc> {
  return environment().funcs;
}

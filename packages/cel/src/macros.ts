import { parse } from "@bufbuild/cel";
import { type Expr, identOf, withKind } from "./syntax-tree.ts";
import { optionalChain } from "./optional-syntax.ts";

/** The function that lists a list's or map's members, each with its index or key. */
export const pairs = "@pairs";
/**
 * The function that makes a map from a list of pairs; the second argument forbids duplicate keys.
 */
export const mapOfPairs = "@mapOfPairs";

// A macro with two variables is rewritten as a macro with one variable over pairs:
//   m.all(k, v, e)                 @pairs(m).all(@pair, bind k, v: e)
//   m.transformMap(k, v, f, e)
//     @mapOfPairs(@pairs(m).map(@pair, bind k, v: f, bind k, v: [k, e]))
const shapes: Readonly<Record<string, string>> = {
  "all/1": "RANGE.all(PAIR, ONE)",
  "exists/1": "RANGE.exists(PAIR, ONE)",
  "existsOne/1": "RANGE.exists_one(PAIR, ONE)",
  "exists_one/1": "RANGE.exists_one(PAIR, ONE)",
  "transformList/1": "RANGE.map(PAIR, ONE)",
  "transformList/2": "RANGE.map(PAIR, ONE, TWO)",
  "transformMap/1": "MADE(RANGE.map(PAIR, [PAIR[0], ONE]))",
  "transformMap/2": "MADE(RANGE.map(PAIR, ONE, [PAIR[0], TWO]))",
  "transformMapEntry/1": "MADE(RANGE.map(PAIR, ONE))",
  "transformMapEntry/2": "MADE(RANGE.map(PAIR, ONE, TWO))",
};

/**
 * Rewrites macros with two variables, and selections after optional selections, into forms that the
 * parser and the planner support.
 */
export function withMacros(expr: Expr): Expr {
  const { exprKind } = expr;
  if (exprKind.case === "callExpr" && exprKind.value.target !== undefined) {
    const { target, function: name, args } = exprKind.value;
    const [first, second, ...bodies] = args;
    const shape = Object.hasOwn(shapes, `${name}/${bodies.length}`) ? shapes[`${name}/${bodies.length}`] : undefined;
    const key = nameOf(first);
    const value = nameOf(second);
    if (shape !== undefined && key !== undefined && value !== undefined) {
      return expanded(shape, expr, { range: target, key, value, bodies: bodies.map(withMacros) });
    }
  }
  return optionalChain(mapParts(expr, withMacros));
}

function nameOf(expr: Expr | undefined): string | undefined {
  return expr?.exprKind.case === "identExpr" ? expr.exprKind.value.name : undefined;
}

function expanded(
  shape: string,
  at: Expr,
  { range, key, value, bodies }: { range: Expr; key: string; value: string; bodies: readonly Expr[] },
): Expr {
  const parsed = parse(shape).expr as Expr;
  const bound = (body: Expr): Expr => {
    const template = parse("cel.bind(KEY, PAIR[0], cel.bind(VALUE, PAIR[1], BODY))").expr as Expr;
    return filled(template, at, { KEY: identOf(at, key), VALUE: identOf(at, value), PAIR: pair, BODY: body });
  };
  const pair = identOf(at, "@pair");
  const [one, two] = bodies.map(bound);
  return filled(parsed, at, {
    RANGE: callNode(at, pairs, [withMacros(range)]),
    PAIR: pair,
    ...(one !== undefined && { ONE: one }),
    ...(two !== undefined && { TWO: two }),
  });
}

/** Replaces the capital names of a template by expressions and function names. */
function filled(template: Expr, at: Expr, by: Readonly<Record<string, Expr>>): Expr {
  const { exprKind } = template;
  if (exprKind.case === "identExpr") {
    return by[exprKind.value.name] ?? { ...template, id: at.id };
  }
  const result = mapParts({ ...template, id: at.id }, (part) => filled(part, at, by));
  const { exprKind: kind } = result;
  if (kind.case === "callExpr" && kind.value.function === "MADE") return callNode(at, mapOfPairs, kind.value.args);
  if (kind.case === "comprehensionExpr" && kind.value.iterVar === "PAIR") {
    return withKind(result, { case: "comprehensionExpr", value: { ...kind.value, iterVar: "@pair" } });
  }
  return result;
}

function callNode(at: Expr, name: string, args: readonly Expr[]): Expr {
  const value = { $typeName: "cel.expr.Expr.Call", target: undefined, function: name, args };
  return withKind(at, { case: "callExpr", value } as unknown as Expr["exprKind"]);
}

/** Returns the node with each of its parts replaced. */
function mapParts(expr: Expr, replace: (part: Expr) => Expr): Expr {
  const { exprKind } = expr;
  const each = (part: Expr | undefined) => part && replace(part);
  switch (exprKind.case) {
    case "selectExpr":
      return withKind(expr, {
        case: "selectExpr",
        value: { ...exprKind.value, operand: each(exprKind.value.operand) } as typeof exprKind.value,
      });
    case "callExpr": {
      const { target, args } = exprKind.value;
      const value = { ...exprKind.value, target: each(target), args: args.map(replace) } as typeof exprKind.value;
      return withKind(expr, { case: "callExpr", value });
    }
    case "listExpr":
      return withKind(expr, {
        case: "listExpr",
        value: { ...exprKind.value, elements: exprKind.value.elements.map(replace) },
      });
    case "structExpr": {
      const entries = exprKind.value.entries.map((entry) => ({
        ...entry,
        keyKind:
          entry.keyKind.case === "mapKey" ? { case: "mapKey", value: replace(entry.keyKind.value) } : entry.keyKind,
        value: each(entry.value),
      }));
      return withKind(expr, { case: "structExpr", value: { ...exprKind.value, entries } as typeof exprKind.value });
    }
    case "comprehensionExpr": {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      const value = {
        ...exprKind.value,
        iterRange: each(iterRange),
        accuInit: each(accuInit),
        loopCondition: each(loopCondition),
        loopStep: each(loopStep),
        result: each(result),
      } as typeof exprKind.value;
      return withKind(expr, { case: "comprehensionExpr", value });
    }
    default:
      return expr;
  }
}

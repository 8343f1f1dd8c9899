import {
  boolOf,
  type Call,
  callOf,
  type Comprehension,
  emptyListOf,
  type Expr,
  identOf,
  intOf,
  stringOf,
  withKind,
} from "./syntax-tree.ts";

/** Functions that the rewritten expression calls. A client's expression cannot name them. */
export const tick = "@tick";
export const range = "@range";
/** The function that selects an element. It charges where a map has to search for its key. */
export const index = "@index";

/** Names that are namespaces and not variables, as in `math.greatest`. */
const namespaces = new Set(["optional", "math", "ip", "cidr", "jsonpatch", "sets", "format"]);

/**
 * Rewrites an expression so that its loops charge for their work: once for the range, and once for
 * each turn. A loop ends when the budget is used up. Functions charge by themselves.
 */
export function metered(expr: Expr): Expr {
  const { exprKind } = expr;
  switch (exprKind.case) {
    case "comprehensionExpr":
      return withKind(expr, { case: "comprehensionExpr", value: meteredLoop(expr, exprKind.value) });
    case "callExpr":
      return meteredCall(expr, exprKind.value);
    case "selectExpr": {
      const { operand } = exprKind.value;
      const value = { ...exprKind.value, operand: operand && metered(operand) } as typeof exprKind.value;
      return withKind(expr, { case: "selectExpr", value });
    }
    case "listExpr":
      return withKind(expr, {
        case: "listExpr",
        value: { ...exprKind.value, elements: exprKind.value.elements.map(metered) },
      });
    case "structExpr": {
      // A patch's Object{spec: …} is a map of its fields. Its names have been checked earlier.
      const entries = exprKind.value.entries.map(({ keyKind, ...entry }) => ({
        ...entry,
        keyKind: keyKind.case === "fieldKey" ? { case: "mapKey", value: stringOf(expr, keyKind.value) } : keyKind,
        value: entry.value && metered(entry.value),
      }));
      const value = { ...exprKind.value, messageName: "", entries } as unknown as typeof exprKind.value;
      return withKind(expr, { case: "structExpr", value });
    }
    default:
      return expr;
  }
}

/**
 * A step of the interpreter takes 3 to 5 µs here, some twenty times upstream's step. An evaluation
 * blocks all other requests, so it must end soon. With this factor, the limits of 1,000,000 are
 * reached after about a quarter of a second.
 */
const stepCost = 20;

function meteredLoop(expr: Expr, loop: Comprehension): Comprehension {
  const part = (inner: Expr | undefined) => inner && metered(inner);
  const condition = part(loop.loopCondition) ?? boolOf(expr, true);
  const turn = intOf(expr, costOfTurn(loop.loopStep));
  return {
    ...loop,
    iterRange: loop.iterRange && callOf(expr, range, [metered(loop.iterRange)]),
    accuInit: part(loop.accuInit),
    loopCondition: callOf(expr, "_?_:_", [callOf(expr, tick, [turn]), condition, boolOf(expr, false)]),
    loopStep: part(loop.loopStep),
    result: part(loop.result),
  } as Comprehension;
}

/** The cost of one turn of a loop, or of an expression outside of loops. */
export function costOfTurn(expr: Expr | undefined): number {
  return stepCost * Math.max(1, Math.ceil(stepsOf(expr) / 2));
}

/** Constant members of a list or map cost little, but are not free. */
const membersOfStep = 8;

/**
 * Counts the names, selections and calls of a turn, each of which costs one unit upstream. Loops
 * inside charge by themselves. A turn costs half the count, because `&&`, `||` and `?:` skip
 * operands.
 */
function stepsOf(expr: Expr | undefined): number {
  const kind = expr?.exprKind;
  switch (kind?.case) {
    case "identExpr":
      return 1;
    case "selectExpr":
      return 1 + stepsOf(kind.value.operand);
    case "callExpr":
      return [kind.value.target, ...kind.value.args].reduce((sum, part) => sum + stepsOf(part), 1);
    case "listExpr":
      return kind.value.elements.reduce((sum, part) => sum + 1 / membersOfStep + stepsOf(part), 1);
    case "structExpr":
      return kind.value.entries.reduce((sum, { value }) => sum + 2 / membersOfStep + stepsOf(value), 1);
    case "comprehensionExpr":
      return 1 + stepsOf(kind.value.iterRange);
    default:
      return 0;
  }
}

function meteredCall(expr: Expr, call: Call): Expr {
  const { target, args, function: name } = call;
  const namespace = target?.exprKind.case === "identExpr" ? target.exprKind.value.name : undefined;
  if (namespace === "cel" && name === "bind") return bound(expr, args);
  const parts = args.map(metered);
  if (namespace !== undefined && namespaces.has(namespace)) return callOf(expr, `${namespace}.${name}`, parts);
  // An element with a literal text as key is found immediately.
  if (name === "_[_]" && !isText(args[1])) return callOf(expr, index, parts);
  const value = { ...call, target: target && metered(target), args: parts } as Call;
  return withKind(expr, { case: "callExpr", value });
}

function isText(expr: Expr | undefined): boolean {
  return expr?.exprKind.case === "constExpr" && expr.exprKind.value.constantKind.case === "stringValue";
}

/** `cel.bind(name, value, body)` is a loop without turns whose result reads its accumulator. */
function bound(expr: Expr, [variable, value, body]: readonly Expr[]): Expr {
  const name = variable?.exprKind.case === "identExpr" ? variable.exprKind.value.name : "";
  const loop = {
    $typeName: "cel.expr.Expr.Comprehension",
    iterVar: "#unused",
    iterVar2: "",
    iterRange: emptyListOf(expr),
    accuVar: name,
    accuInit: value && metered(value),
    loopCondition: boolOf(expr, false),
    loopStep: identOf(expr, name),
    result: body && metered(body),
  } as unknown as Comprehension;
  return withKind(expr, { case: "comprehensionExpr", value: loop });
}

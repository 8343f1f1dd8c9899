import { callOf, type Expr, stringOf } from "./expr.ts";

/** The methods that select a field, or an element, of a value as an optional. */
export const optionalSelect = "optionalField";
export const optionalIndex = "optionalElement";

/**
 * Writes optional selections, which the parser does not know, as calls of methods.
 *   self.?spec.name       self.optionalField("spec").name
 *   self.labels[?"a"]     self.labels.optionalElement("a")
 *   Object{?spec: x}      Object{spec: x}          an empty optional is no field of a patch
 */
export function withoutOptionalSyntax(text: string): string {
  if (!text.includes("?")) return text;
  let result = "";
  const open: { close: string; isMessage: boolean }[] = [];
  for (const token of text.match(tokens) ?? []) {
    const selected = /^\.\s*\?\s*([A-Za-z_]\w*)$/.exec(token)?.[1];
    const before = /\S(?=\s*$)/.exec(result)?.[0] ?? "";
    if (selected !== undefined) result += `.${optionalSelect}("${selected}")`;
    else if (/^\[\s*\?$/.test(token) && /[\w)\]}"'`]/.test(before)) {
      open.push({ close: ")", isMessage: false });
      result += `.${optionalIndex}(`;
    } else if (token === "{" || token === "[" || token === "(") {
      open.push({ close: { "{": "}", "[": "]", "(": ")" }[token], isMessage: token === "{" && /\w/.test(before) });
      result += token;
    } else if (token === "}" || token === "]" || token === ")") result += open.pop()?.close ?? token;
    else if (token === "?" && open.at(-1)?.isMessage === true && /[{,]/.test(before)) continue;
    else result += token;
  }
  return result;
}

/** Literals and comments as a whole, optional selections, and single characters. */
const tokens =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\.\s*\?\s*[A-Za-z_]\w*|\[\s*\?|[\s\S]/g;

/**
 * The same for selections behind an optional one, which are optional too:
 *   self.?spec.name[0]    self.optionalField("spec").optionalField("name").optionalElement(0)
 */
export function optionalChain(expr: Expr): Expr {
  const { exprKind } = expr;
  if (exprKind.case === "selectExpr") {
    const { operand, field, testOnly } = exprKind.value;
    if (testOnly || operand === undefined || !isOptionalCall(operand)) return expr;
    return methodOf(expr, operand, { name: optionalSelect, argument: stringOf(expr, field) });
  }
  if (exprKind.case !== "callExpr" || exprKind.value.function !== "_[_]") return expr;
  const [operand, index] = exprKind.value.args;
  if (operand === undefined || index === undefined || !isOptionalCall(operand)) return expr;
  return methodOf(expr, operand, { name: optionalIndex, argument: index });
}

function isOptionalCall({ exprKind }: Expr): boolean {
  if (exprKind.case !== "callExpr") return false;
  return exprKind.value.function === optionalSelect || exprKind.value.function === optionalIndex;
}

function methodOf(expr: Expr, target: Expr, { name, argument }: { name: string; argument: Expr }): Expr {
  const call = callOf(expr, name, [argument]);
  if (call.exprKind.case !== "callExpr") return call;
  return { ...call, exprKind: { case: "callExpr", value: { ...call.exprKind.value, target } } };
}

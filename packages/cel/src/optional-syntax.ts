import { callOf, type Expr, stringOf } from "./syntax-tree.ts";

/** The methods that select a field, or an element, of a value as an optional. */
export const optionalSelect = "optionalField";
export const optionalIndex = "optionalElement";

/**
 * Rewrites optional selections, which the parser does not support, as method calls.
 *   self.?spec.name       self.optionalField("spec").name
 *   self.labels[?"a"]     self.labels.optionalElement("a")
 *   Object{?spec: x}      Object{spec: x}          an empty optional is omitted from a patch
 */
export function withoutOptionalSyntax(text: string): string {
  if (!text.includes("?")) return text;
  const parts: string[] = [];
  const open: Bracket[] = [];
  // The last character before the token that is not a blank.
  let before = "";
  for (const token of text.match(tokens) ?? []) {
    const part = written(token, before, open);
    parts.push(part);
    before = part.trimEnd().at(-1) ?? before;
  }
  return parts.join("");
}

/** The parser scans blanks and comments again at each level of its grammar. */
const blanksMax = 256;

/** Shortens the blanks and comments of an expression that are longer than necessary. */
export function withShortBlanks(text: string): string {
  if (text.length <= blanksMax) return text;
  const parts: string[] = [];
  let blanks = 0;
  for (const token of text.match(tokens) ?? []) {
    const before = blanks;
    blanks = token.trim() === "" || token.startsWith("//") ? before + token.length : 0;
    if (blanks <= blanksMax) parts.push(token);
    // The end of a line also ends a comment before it.
    else if (before <= blanksMax) parts.push("\n");
  }
  return parts.join("").trimEnd();
}

interface Bracket {
  readonly close: string;
  readonly isMessage: boolean;
}

/** The replacement of a token, which opens and closes brackets. */
function written(token: string, before: string, open: Bracket[]): string {
  const selected = selectionForm.exec(token)?.[1];
  if (selected !== undefined) return `.${optionalSelect}("${selected}")`;
  if (/^\[\s*\?$/.test(token) && /[\w)\]}"'`]/.test(before)) {
    open.push({ close: ")", isMessage: false });
    return `.${optionalIndex}(`;
  }
  if (token === "{" || token === "[" || token === "(") {
    open.push({ close: { "{": "}", "[": "]", "(": ")" }[token], isMessage: token === "{" && /\w/.test(before) });
    return token;
  }
  if (token === "}" || token === "]" || token === ")") return open.pop()?.close ?? token;
  return token === "?" && open.at(-1)?.isMessage === true && /[{,]/.test(before) ? "" : token;
}

const selectionForm = /^\.\s*\?\s*([A-Za-z_]\w*)$/;

/** Literals and comments as a whole, optional selections, and single characters. */
const tokens =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\.\s*\?\s*[A-Za-z_]\w*|\[\s*\?|[\s\S]/g;

/**
 * Rewrites selections after an optional selection, which are optional too:
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

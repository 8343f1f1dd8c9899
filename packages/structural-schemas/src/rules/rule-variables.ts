import { childrenOf, type Expr } from "@kintsugi/cel";

/** Reports whether a rule compares the value with the old value, so that it applies to changes. */
export function usesOldSelf(expr: Expr): boolean {
  if (expr.exprKind.case === "identExpr") return expr.exprKind.value.name === "oldSelf";
  return childrenOf(expr).some(usesOldSelf);
}

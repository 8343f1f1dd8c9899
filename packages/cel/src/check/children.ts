import type { Expr } from "../syntax-tree.ts";

/** Lists the parts of an expression that are themselves expressions. */
export function childrenOf({ exprKind }: Expr): Expr[] {
  switch (exprKind.case) {
    case "selectExpr":
      return present([exprKind.value.operand]);
    case "callExpr":
      return present([exprKind.value.target, ...exprKind.value.args]);
    case "listExpr":
      return exprKind.value.elements;
    case "structExpr":
      return present(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === "mapKey" ? keyKind.value : undefined,
          value,
        ]),
      );
    case "comprehensionExpr": {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      return present([iterRange, accuInit, loopCondition, loopStep, result]);
    }
    default:
      return [];
  }
}

function present(exprs: readonly (Expr | undefined)[]): Expr[] {
  return exprs.filter((expr) => expr !== undefined);
}

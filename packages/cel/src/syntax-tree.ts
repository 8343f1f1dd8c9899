import type { parse } from "@bufbuild/cel";

/** A node of the syntax tree that CEL's specification defines. */
export type Expr = NonNullable<ReturnType<typeof parse>["expr"]>;
export type ExprKind = Expr["exprKind"];
export type Comprehension = Extract<ExprKind, { case: "comprehensionExpr" }>["value"];
export type Call = Extract<ExprKind, { case: "callExpr" }>["value"];

/** Returns the node with another content. */
export function withKind(expr: Expr, exprKind: ExprKind): Expr {
  return { ...expr, exprKind };
}

export function callOf(expr: Expr, name: string, args: Expr[]): Expr {
  const value = { $typeName: "cel.expr.Expr.Call", target: undefined, function: name, args } as unknown as Call;
  return withKind(expr, { case: "callExpr", value });
}

export function boolOf(expr: Expr, value: boolean): Expr {
  const constant = { $typeName: "cel.expr.Constant", constantKind: { case: "boolValue", value } };
  return withKind(expr, { case: "constExpr", value: constant } as unknown as ExprKind);
}

export function intOf(expr: Expr, value: number): Expr {
  const constant = { $typeName: "cel.expr.Constant", constantKind: { case: "int64Value", value: BigInt(value) } };
  return withKind(expr, { case: "constExpr", value: constant } as unknown as ExprKind);
}

export function stringOf(expr: Expr, value: string): Expr {
  const constant = { $typeName: "cel.expr.Constant", constantKind: { case: "stringValue", value } };
  return withKind(expr, { case: "constExpr", value: constant } as unknown as ExprKind);
}

export function identOf(expr: Expr, name: string): Expr {
  return withKind(expr, {
    case: "identExpr",
    value: { $typeName: "cel.expr.Expr.Ident", name },
  } as unknown as ExprKind);
}

export function emptyListOf(expr: Expr): Expr {
  const value = { $typeName: "cel.expr.Expr.CreateList", elements: [], optionalIndices: [] };
  return withKind(expr, { case: "listExpr", value } as unknown as ExprKind);
}

import type { Expr } from "../syntax-tree.ts";
import { childrenOf } from "./children.ts";

const operationFields = new Set(["op", "path", "from", "value"]);

/**
 * Finds faults of the types by which expressions make patches: `Object.spec{…}` is allowed only in
 * the field `spec` of an `Object{…}`, and a JSONPatch has its four fields.
 * @param patches false where expressions do not make patches, so that the types are unknown.
 */
export function patchTypeFaults(expr: Expr, patches: boolean): string[] {
  const { exprKind } = expr;
  const below = childrenOf(expr).flatMap((child) => patchTypeFaults(child, patches));
  if (exprKind.case !== "structExpr" || exprKind.value.messageName === "") return below;
  const { messageName: name, entries } = exprKind.value;
  const isOperation = name === "JSONPatch";
  if (!patches || (!isOperation && name !== "Object" && !name.startsWith("Object."))) {
    return [`undeclared reference to '${name}' (in container '')`, ...below];
  }
  const faults = entries.flatMap(({ keyKind, value }) => {
    const field = keyKind.case === "fieldKey" ? keyKind.value : "";
    if (isOperation) return operationFields.has(field) ? [] : [`undefined field '${field}'`];
    return typesAt(value).flatMap((type) =>
      type === `${name}.${field}`
        ? []
        : [`unexpected type name ${JSON.stringify(type)}, expected ${JSON.stringify(`${name}.${field}`)}`],
    );
  });
  return [...faults, ...below];
}

/** The types of the objects in a field's value, where the expression names them. */
function typesAt(value: Expr | undefined): string[] {
  const kind = value?.exprKind;
  if (kind?.case === "structExpr") return kind.value.messageName === "" ? [] : [kind.value.messageName];
  if (kind?.case === "listExpr") return kind.value.elements.flatMap(typesAt);
  if (kind?.case === "callExpr" && kind.value.function === "_?_:_") return kind.value.args.slice(1).flatMap(typesAt);
  return [];
}

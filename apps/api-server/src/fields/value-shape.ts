import type { FieldDescription, JsonValue } from "@kintsugi/api";
import type { FieldType } from "./field-type.ts";
import { isJsonObject } from "../json-value.ts";

/** The rule by which a value of a type is split into parts, whether or not it has any parts. */
export type Shape =
  /** A scalar, or a value that is owned and replaced as a whole. */
  | { kind: "leaf" }
  | { kind: "struct"; fields: ReadonlyMap<string, FieldDescription> }
  | { kind: "map"; values: FieldType }
  /** Items are identified by their keys or by their values. */
  | { kind: "list"; items: FieldType };

const leaf: Shape = { kind: "leaf" };

/** @param value the value, which decides the shape where the type is ambiguous. */
export function shapeOf(as: FieldType, value?: JsonValue): Shape {
  const { type } = as;
  if (as.mapType === "atomic") return leaf;
  switch (type.type) {
    case "object":
      return type.mapType === "atomic" ? leaf : { kind: "struct", fields: type.fields };
    case "map":
      return { kind: "map", values: { type: type.values } };
    case "list":
      return as.listType === "map" || as.listType === "set" ? { kind: "list", items: { type: type.items } } : leaf;
    case "any":
      return type.deduced === true && isJsonObject(value) ? { kind: "map", values: { type } } : leaf;
    default:
      return leaf;
  }
}

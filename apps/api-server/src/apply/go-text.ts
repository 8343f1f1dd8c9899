import type { JsonValue } from "@kintsugi/api";

/** A value as Go's `%v` prints it, for rejections in which upstream prints values that way. */
export function goValue(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const members = Object.keys(value).toSorted();
  return `map[${members.map((key) => `${key}:${goValue(value[key] ?? null)}`).join(" ")}]`;
}

/** A value's type as Go's `%T` prints it. */
export function goType(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}

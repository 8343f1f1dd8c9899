import type { JsonObject, JsonValue } from "@kintsugi/api";
import { isJsonObject } from "../json-value.ts";
import type { FieldType } from "./field-type.ts";

/** Returns the step that identifies an item in its list; `undefined` when the item has no key. */
export function itemStep(item: JsonValue, as: FieldType, items: FieldType): string | undefined {
  if (as.listType === "set") return `v:${JSON.stringify(item)}`;
  if (!isJsonObject(item)) return undefined;
  const keys = [...(as.listMapKeys ?? [])].toSorted();
  const values: JsonObject = {};
  for (const key of keys) {
    const value = item[key] ?? keyDefaultOf(items, key);
    if (value !== undefined) values[key] = value;
  }
  return `k:${JSON.stringify(values)}`;
}

/**
 * Returns the value that an item implicitly has for a missing key: upstream's default, or the zero
 * value of a field that is always written.
 */
export function keyDefaultOf({ type }: FieldType, key: string): JsonValue | undefined {
  const field = type.type === "object" ? type.fields.get(key) : undefined;
  if (field?.keyDefault !== undefined) return field.keyDefault;
  if (field?.required !== true) return undefined;
  return field.type.type === "integer" ? 0 : "";
}

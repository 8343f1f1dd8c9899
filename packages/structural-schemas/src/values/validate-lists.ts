import { canonicalJson, type Faults, type JsonSchema, sameJson, type JsonValue } from "@kintsugi/api";
import { hasMembers } from "../json.ts";
import { itemsOf, propertyOf, valuesOf } from "../schema-parts.ts";
import { itemsBefore, keyOf, memberPath } from "./validate-value.ts";
import type { ValuePlace } from "./place.ts";

/** Finds duplicate items in lists of type set or map. */
export function validateLists({ value, schema, path, before }: Omit<ValuePlace, "budget">, faults: Faults): void {
  if (before !== undefined && sameJson(value, before)) return;
  if (Array.isArray(value)) {
    validateDistinct(value, schema, { path, faults });
    const items = itemsOf(schema);
    if (items === undefined) return;
    const earlier = itemsBefore(schema, before);
    for (const [index, item] of value.entries()) {
      validateLists({ value: item, schema: items, path: `${path}[${index}]`, before: earlier(item) }, faults);
    }
  } else if (hasMembers(value)) {
    const values = valuesOf(schema);
    for (const [key, member] of Object.entries(value)) {
      const own = propertyOf(schema, key) ?? values;
      if (own === undefined) continue;
      const old = hasMembers(before) && Object.hasOwn(before, key) ? before[key] : undefined;
      validateLists({ value: member, schema: own, path: memberPath(path, key), before: old }, faults);
    }
  }
}

function validateDistinct(
  list: readonly JsonValue[],
  schema: JsonSchema,
  { path, faults }: { path: string; faults: Faults },
): void {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const key = type === "set" ? canonicalJson(item) : keyOf(item, keys);
    if (seen.has(key)) faults.duplicate(`${path}[${index}]`, type === "set" ? item : keysOf(item, keys));
    seen.add(key);
  }
}

function keysOf(item: JsonValue, keys: readonly string[]): JsonValue {
  if (!hasMembers(item)) return item;
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(item, key) ? [[key, item[key] ?? null]] : [])));
}

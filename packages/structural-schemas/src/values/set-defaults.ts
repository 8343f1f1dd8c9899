import type { JsonSchema, JsonObject, JsonValue } from "@kintsugi/api";
import { hasMembers } from "../json.ts";
import { itemsOf, propertyOf, valuesOf } from "../schema-parts.ts";

/**
 * Sets defaults where members are missing, or null without being nullable, and removes other nulls
 * of members that are not nullable. It works in place and is idempotent.
 */
export function setDefaults(value: JsonValue, schema: JsonSchema): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (item === null && items.nullable !== true && items.default !== undefined) value[index] = copyOf(items.default);
      setDefaults(value[index] ?? null, items);
    }
  } else if (hasMembers(value)) setDefaultsOfMembers(value, schema);
}

function setDefaultsOfMembers(object: JsonObject, schema: JsonSchema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || !isMissing(object, name, property)) continue;
    object[name] = copyOf(property.default);
  }
  const values = valuesOf(schema);
  for (const key of Object.keys(object)) {
    const member = propertyOf(schema, key) ?? values;
    if (member === undefined) continue;
    if (object[key] !== null || member.nullable === true) setDefaults(object[key] ?? null, member);
    else if (member.default !== undefined) object[key] = copyOf(member.default);
    else delete object[key];
  }
}

function isMissing(object: JsonObject, name: string, { nullable }: JsonSchema): boolean {
  return !Object.hasOwn(object, name) || (object[name] === null && nullable !== true);
}

function copyOf(value: unknown): JsonValue {
  return structuredClone(value) as JsonValue;
}

/** Reports whether any field of the schema has a default. */
export function hasDefaults(schema: JsonSchema): boolean {
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  return (
    schema.default !== undefined ||
    Object.values(schema.properties ?? {}).some(hasDefaults) ||
    (items !== undefined && hasDefaults(items)) ||
    (values !== undefined && hasDefaults(values))
  );
}

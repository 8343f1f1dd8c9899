import type { JsonSchema, JsonObject, JsonValue } from "@kintsugi/api";
import { hasMembers } from "../json.ts";
import { isEmbedded, itemsOf, keepsUnknown, objectFields, propertyOf, valuesOf } from "../schema-parts.ts";

/**
 * Removes the members that the schema does not declare, in place. The value at the root is an API
 * object, whose metadata is pruned by its own type.
 */
export function pruneUnknown(object: JsonObject, schema: JsonSchema): void {
  pruneObject(object, schema, true);
}

function pruneValue(value: JsonValue, schema: JsonSchema): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items !== undefined) for (const item of value) pruneValue(item, items);
    else if (!keepsUnknown(schema)) for (const item of value) pruneValue(item, {});
  } else if (hasMembers(value)) pruneObject(value, schema, isEmbedded(schema));
}

function pruneObject(object: JsonObject, schema: JsonSchema, isApiObject: boolean): void {
  for (const key of Object.keys(object)) {
    if (isApiObject && objectFields.includes(key)) continue;
    const member = object[key] ?? null;
    const own = propertyOf(schema, key);
    const { additionalProperties } = schema;
    if (own !== undefined) pruneValue(member, own);
    else if (additionalProperties !== undefined && additionalProperties !== false) {
      const values = valuesOf(schema);
      if (values !== undefined) pruneValue(member, values);
    } else if (!keepsUnknown(schema)) delete object[key];
  }
}

import type { JsonSchema } from "@kintsugi/api";

// A structural schema declares each field exactly once, outside of allOf, anyOf, oneOf and not:
//
//   properties, items, additionalProperties     the structure, by which values are pruned
//   default                                     only in the structure
//   allOf, anyOf, oneOf, not                    conditions on values of that structure

/** The schema of a member by its own name; the prototype is never accessed. */
export function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of a list's items; a list of schemas is rejected before it is stored. */
export function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return items === undefined || Array.isArray(items) ? undefined : (items as JsonSchema);
}

/** The schema of a map's values; undefined if every value is allowed, or the value is not a map. */
export function valuesOf({ additionalProperties: values }: JsonSchema): JsonSchema | undefined {
  return typeof values === "object" ? values : undefined;
}

export function keepsUnknown(schema: JsonSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

export function isEmbedded(schema: JsonSchema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

export function isIntOrString(schema: JsonSchema): boolean {
  return schema["x-kubernetes-int-or-string"] === true;
}

/** Every schema within a schema, as a part of its structure or of its conditions. */
export function schemasWithin(schema: JsonSchema): JsonSchema[] {
  const { items, not, allOf = [], anyOf = [], oneOf = [], properties = {} } = schema;
  const ofItems = Array.isArray(items) ? (items as JsonSchema[]) : items === undefined ? [] : [items as JsonSchema];
  const values = valuesOf(schema);
  return [
    ...Object.values(properties),
    ...ofItems,
    ...(values === undefined ? [] : [values]),
    ...(not === undefined ? [] : [not]),
    ...allOf,
    ...anyOf,
    ...oneOf,
  ];
}

/** The fields that every API object has, whether its schema declares them or not. */
export const objectFields: readonly string[] = ["apiVersion", "kind", "metadata"];

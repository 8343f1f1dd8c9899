import type { FieldDescription, JsonObject, TypeDescription } from "@kintsugi/api";
import {
  type Dialect,
  durationName,
  intOrStringName,
  microTimeName,
  quantityName,
  timeName,
} from "./document-parts.ts";

type ObjectDescription = Extract<TypeDescription, { type: "object" }>;
type ScalarDescription = Exclude<TypeDescription, { type: "object" | "list" | "map" }>;

/** The schemas of types and of all their fields' types, by name. Every type appears once. */
export function schemasOf(types: Iterable<TypeDescription>, dialect: Dialect): Map<string, JsonObject> {
  const schemas = new Map<string, JsonObject>(Object.entries(dialect.scalars));
  const waiting = [...types];
  // Types may be recursive, so they are walked by a list instead of recursion.
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    if (type.type === "list") {
      waiting.push(type.items);
    } else if (type.type === "map") {
      waiting.push(type.values);
    } else if (type.type === "any" && type.either !== undefined) {
      waiting.push(type.either.object());
    } else if (type.type === "object" && type.openApi !== undefined) {
      schemas.set(type.name, type.openApi(dialect.version) as JsonObject);
    } else if (type.type === "object" && !schemas.has(type.name)) {
      schemas.set(type.name, objectSchema(type, dialect));
      waiting.push(...[...type.fields.values()].map((field) => field.type));
    }
  }
  return schemas;
}

function objectSchema(type: ObjectDescription, dialect: Dialect): JsonObject {
  const fields = [...type.fields.values()];
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, dialect)])),
    ...(required.length > 0 && { required }),
    ...(type.mapType !== undefined && { "x-kubernetes-map-type": type.mapType }),
  };
}

function fieldSchema(field: FieldDescription, dialect: Dialect): JsonObject {
  const { type, description, patchStrategy, patchMergeKey, listType, listMapKeys, mapType } = field;
  const beside: JsonObject = {
    ...(description !== undefined && { description }),
    ...(listMapKeys !== undefined && { "x-kubernetes-list-map-keys": [...listMapKeys] }),
    ...(listType !== undefined && { "x-kubernetes-list-type": listType }),
    // An object type already has this extension.
    ...(mapType !== undefined && type.type !== "object" && { "x-kubernetes-map-type": mapType }),
    ...(patchMergeKey !== undefined && { "x-kubernetes-patch-merge-key": patchMergeKey }),
    ...(patchStrategy !== undefined && { "x-kubernetes-patch-strategy": patchStrategy }),
  };
  const referenced = nameOf(type);
  if (referenced === undefined) {
    return { ...typeSchema(type, dialect), ...beside };
  }
  return Object.keys(beside).length === 0 ? dialect.ref(referenced) : dialect.refWith(referenced, beside);
}

function typeSchema(type: TypeDescription, dialect: Dialect): JsonObject {
  const referenced = nameOf(type);
  if (referenced !== undefined) {
    return dialect.ref(referenced);
  }
  switch (type.type) {
    case "list":
      return { type: "array", items: typeSchema(type.items, dialect) };
    case "map":
      return { type: "object", additionalProperties: typeSchema(type.values, dialect) };
    case "object":
    case "any":
      if (type.type === "any" && type.anyForm === true) return {};
      return { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    default:
      return scalarSchema(type);
  }
}

function scalarSchema({ type, format, values }: ScalarDescription): JsonObject {
  return {
    type,
    ...(format !== undefined && { format }),
    ...(values !== undefined && { enum: [...values] }),
  };
}

/** The name of a type's schema; undefined for types that are written inline. */
function nameOf(type: TypeDescription): string | undefined {
  if (type.type === "object") {
    return type.name;
  }
  switch ("format" in type ? type.format : undefined) {
    case "date-time":
      return timeName;
    case "micro-time":
      return microTimeName;
    case "duration":
      return durationName;
    case "quantity":
      return quantityName;
    case "int-or-string":
      return intOrStringName;
    default:
      return undefined;
  }
}

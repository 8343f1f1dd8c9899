import {
  type Faults,
  type JsonSchema,
  ObjectMeta,
  parseObject,
  validateObjectMeta,
  type JsonObject,
  type JsonValue,
} from "@kintsugi/api";
import { hasMembers } from "../json.ts";
import { isEmbedded, itemsOf, propertyOf, valuesOf } from "../schema-parts.ts";
import { memberPath } from "./validate-value.ts";

// API objects may be nested inside other objects (x-kubernetes-embedded-resource). Their metadata
// has the shape of every object's metadata, so that other fields cannot be hidden in it.

/**
 * Restricts the metadata of embedded objects to its own shape, in place; other members are dropped.
 */
export function coerceEmbedded(value: JsonValue, schema: JsonSchema): void {
  eachEmbedded({ value, schema, path: "" }, (object) => {
    const { metadata } = object;
    if (metadata === undefined) return;
    if (metadata === null) delete object["metadata"];
    else object["metadata"] = coerceMetadata(metadata);
  });
}

/** Reads metadata of any form; invalid members are dropped, as in upstream. */
function coerceMetadata(metadata: JsonValue): JsonValue {
  if (!hasMembers(metadata)) return metadata;
  const kept: JsonObject = {};
  for (const [key, member] of Object.entries(metadata)) {
    try {
      const kind = { group: "", version: "v1", kind: "ObjectMeta" };
      Object.assign(kept, parseObject(ObjectMeta, kind, { [key]: member }));
    } catch {
      // A member whose form differs from the form of metadata is not metadata.
    }
  }
  return kept;
}

/** Finds faults of the embedded objects themselves. */
export function validateEmbedded(value: JsonValue, schema: JsonSchema, faults: Faults): void {
  eachEmbedded({ value, schema, path: "" }, (object, path) => {
    for (const name of ["apiVersion", "kind"]) {
      const text = object[name];
      if (typeof text !== "string" || text === "") faults.required(memberPath(path, name), "must not be empty");
    }
    const { metadata } = object;
    if (metadata === undefined) return;
    if (!hasMembers(metadata)) return faults.invalid(memberPath(path, "metadata"), metadata, "must be an object");
    const rules = { namespaced: (metadata["namespace"] ?? "") !== "", checkName: () => [] };
    const named = { ...metadata, name: metadata["name"] ?? "embedded" } as ObjectMeta;
    validateObjectMeta(named, rules, faults.below(path));
  });
}

interface VisitedPlace {
  value: JsonValue;
  schema: JsonSchema;
  path: string;
}

function eachEmbedded({ value, schema, path }: VisitedPlace, visit: (object: JsonObject, path: string) => void): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      eachEmbedded({ value: item, schema: items, path: `${path}[${index}]` }, visit);
    }
  } else if (hasMembers(value)) {
    if (path !== "" && isEmbedded(schema)) visit(value, path);
    const values = valuesOf(schema);
    for (const [key, member] of Object.entries(value)) {
      const own = propertyOf(schema, key) ?? values;
      if (own !== undefined) eachEmbedded({ value: member, schema: own, path: memberPath(path, key) }, visit);
    }
  }
}

import {
  describeSchema,
  type FieldDescription,
  type JsonSchema,
  type ObjectDescription,
  ObjectMeta,
  type TypeDescription,
} from "@kintsugi/api";
import { OpenFields } from "./open-fields.ts";
import { isEmbedded, isIntOrString, itemsOf, keepsUnknown } from "./schema-parts.ts";

/**
 * JSON whose field ownership follows from its own form: maps member by member, lists and scalars as
 * a whole.
 */
const deduced: TypeDescription = { type: "any", deduced: true, anyForm: true };

/**
 * Describes the objects of a structural schema for the code that works on objects of any kind:
 * unknown fields, server-side apply, managed fields.
 * @param openApi the schema for OpenAPI documents
 */
export function describeStructural(
  name: string,
  schema: JsonSchema,
  openApi: NonNullable<ObjectDescription["openApi"]>,
): ObjectDescription {
  const fields = new Map(objectFields(schema));
  return { type: "object", name, fields: keepsUnknown(schema) ? new OpenFields(fields, deduced) : fields, openApi };
}

/** The fields of an API object: every such object has an apiVersion, a kind and metadata. */
function objectFields(schema: JsonSchema): Iterable<[string, FieldDescription]> {
  const declared = declaredFields(schema);
  const text = (name: string): [string, FieldDescription] => [
    name,
    { name, type: { type: "string" }, required: false },
  ];
  declared.set(...text("apiVersion"));
  declared.set(...text("kind"));
  declared.set("metadata", { name: "metadata", type: describeSchema(ObjectMeta), required: false });
  return declared;
}

function declaredFields(schema: JsonSchema): Map<string, FieldDescription> {
  return new Map(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, fieldOf(name, property)]));
}

function fieldOf(name: string, schema: JsonSchema): FieldDescription {
  const type = typeOf(schema);
  const {
    "x-kubernetes-list-type": listType,
    "x-kubernetes-list-map-keys": listMapKeys,
    "x-kubernetes-map-type": mapType,
    default: value,
  } = schema;
  return {
    name,
    type,
    required: false,
    ...(type.type === "list" && listType !== undefined && { listType }),
    ...(type.type === "list" && listMapKeys !== undefined && { listMapKeys }),
    ...(mapType !== undefined && { mapType }),
    ...(isKey(value) && { keyDefault: value }),
  };
}

function isKey(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function typeOf(schema: JsonSchema): TypeDescription {
  if (isIntOrString(schema)) return { type: "string", format: "int-or-string" };
  switch (schema.type) {
    case "array": {
      const items = itemsOf(schema);
      return { type: "list", items: items === undefined ? deduced : typeOf(items) };
    }
    case "object":
      return objectType(schema);
    case "integer":
      return { type: "integer" };
    case "number":
      return { type: "number" };
    case "boolean":
      return { type: "boolean" };
    case "string":
      return { type: "string" };
    default:
      return deduced;
  }
}

function objectType(schema: JsonSchema): TypeDescription {
  const { additionalProperties, "x-kubernetes-map-type": mapType } = schema;
  if (typeof additionalProperties === "object") return { type: "map", values: typeOf(additionalProperties) };
  const declared = isEmbedded(schema) ? new Map(objectFields(schema)) : declaredFields(schema);
  const isOpen = keepsUnknown(schema) || additionalProperties === true;
  if (isOpen && declared.size === 0) return deduced;
  const fields = isOpen ? new OpenFields(declared, deduced) : declared;
  return { type: "object", name: "", fields, optional: true, ...(mapType !== undefined && { mapType }) };
}

import type { JsonSchema } from "@kintsugi/api";
import { isIntOrString, itemsOf, keepsUnknown, propertyOf, valuesOf } from "./schema-parts.ts";

type OpenApiSchema = Record<string, unknown>;

const metaName = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const texts = {
  apiVersion: "API group and version of the object, such as example.com/v1.",
  kind: "Kind of the object, such as CronTab.",
  metadata: "Name, namespace, labels and owners of the object.",
};

/**
 * Writes the schema of a custom kind for OpenAPI. Version 3 supports the whole schema. Version 2
 * has neither conditions (oneOf and similar) nor nullable values, so its clients get a reduced
 * schema: an object that keeps unknown fields has no fields in this schema, because the clients
 * would reject all other fields.
 */
export function openApiOf(schema: JsonSchema, version: 2 | 3): OpenApiSchema {
  if (version === 2 && keepsUnknown(schema)) return { type: "object" };
  const { properties = {}, ...rest } = version === 2 ? withoutConditions(schema) : schema;
  const metadata =
    version === 2
      ? { description: texts.metadata, $ref: `#/definitions/${metaName}` }
      : { description: texts.metadata, allOf: [{ $ref: `#/components/schemas/${metaName}` }] };
  return {
    ...rest,
    type: "object",
    properties: {
      apiVersion: { type: "string", description: texts.apiVersion },
      kind: { type: "string", description: texts.kind },
      ...properties,
      metadata,
    },
  };
}

/** Fields that OpenAPI 2 does not have, or that its clients would misread. */
const onlyInVersion3 = ["allOf", "anyOf", "oneOf", "not", "nullable", "default", "x-kubernetes-validations"] as const;

function withoutConditions(schema: JsonSchema): JsonSchema {
  const kept: JsonSchema = { ...schema };
  for (const field of onlyInVersion3) delete kept[field];
  // A client of version 2 would reject null, or the other form of the value, by its type.
  if (schema.nullable === true || isIntOrString(schema)) {
    for (const field of ["type", "format", "items", "properties", "additionalProperties"] as const) delete kept[field];
    return kept;
  }
  const keepsAll = keepsUnknown(schema);
  // Clients reject undeclared fields, so fields are not declared.
  if (keepsAll) for (const field of ["items", "properties"] as const) delete kept[field];
  const items = keepsAll ? undefined : itemsOf(schema);
  if (items !== undefined) kept.items = withoutConditions(items);
  // Clients treat a list without items, and an object whose fields are all unknown, as faults.
  if ((schema.type === "array" && items === undefined) || (schema.type === "object" && keepsAll)) delete kept.type;
  if (typeof schema.additionalProperties === "object") {
    kept.additionalProperties = withoutConditions(schema.additionalProperties);
  }
  if (keepsAll || schema.properties === undefined) return kept;
  const members = Object.entries(schema.properties);
  kept.properties = Object.fromEntries(members.map(([name, property]) => [name, withoutConditions(property)]));
  // A nullable field is written without its type, and is not required.
  const isRequired = (name: string) => propertyOf(schema, name)?.nullable !== true;
  const required = valuesOf(schema)?.nullable === true ? [] : (schema.required ?? []).filter(isRequired);
  if (required.length > 0) kept.required = required;
  else delete kept.required;
  return kept;
}

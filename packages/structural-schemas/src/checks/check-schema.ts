import type { Faults, JsonSchema } from "@kintsugi/api";
import { isEmbedded, itemsOf, objectFields } from "../schema-parts.ts";
import { checkListsAndMaps } from "./check-lists.ts";
import { checkRules } from "./check-rules.ts";

/** The path of a schema, and its restrictions. */
export interface SchemaPlace {
  readonly path: string;
  readonly isRoot?: boolean;
  /** Set if defaults are forbidden, with the reason in upstream's words. */
  readonly noDefault?: string | undefined;
  /** The schema describes the metadata of an API object, its apiVersion or its kind. */
  readonly inMeta?: boolean;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** Finds faults of a schema as OpenAPI, with upstream's messages. */
export function checkSchema(schema: JsonSchema, place: SchemaPlace, faults: Faults): void {
  const { path } = place;
  checkAllowed(schema, place, faults);
  if (schema.uniqueItems === true) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    faults.forbidden(`${path}.uniqueItems`, why);
  }
  checkStructure(schema, place, faults);
  if (schema.not !== undefined) checkSchema(schema.not, { ...place, isRoot: false, path: `${path}.not` }, faults);
  for (const combination of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [index, one] of (schema[combination] ?? []).entries()) {
      checkSchema(one, { ...place, isRoot: false, path: `${path}.${combination}[${index}]` }, faults);
    }
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    faults.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined");
  }
  checkListsAndMaps(schema, path, faults);
  checkRules(schema, path, faults);
}

/** Fields that are forbidden in a definition's schema. */
const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

function checkAllowed(schema: JsonSchema, { path, noDefault, inMeta }: SchemaPlace, faults: Faults): void {
  const { type = "" } = schema;
  if (type !== "" && !types.includes(type)) faults.notSupported(`${path}.type`, type, types);
  if (schema.default !== undefined && noDefault !== undefined) {
    faults.forbidden(`${path}.default`, `must not be set ${noDefault}`);
  }
  for (const field of unsupported) {
    const value = schema[field];
    const isEmpty = value === undefined || value === "" || (typeof value === "object" && isEmptyMap(field, value));
    if (!isEmpty) faults.forbidden(`${path}.${field}`, `${field} is not supported`);
  }
  if (type === "null") {
    faults.forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative");
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    faults.forbidden(`${path}.items`, "items must be a schema object and not an array");
  }
  if (inMeta === true && isEmbedded(schema)) {
    faults.forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta");
  }
}

function isEmptyMap(field: string, value: object): boolean {
  return (field === "patternProperties" || field === "definitions") && Object.keys(value).length === 0;
}

function checkStructure(schema: JsonSchema, place: SchemaPlace, faults: Faults): void {
  const { path, isRoot = false, inMeta = false } = place;
  const { additionalProperties: values, properties = {} } = schema;
  const below = { ...place, isRoot: false };
  if (values !== undefined) {
    if (Object.keys(properties).length > 0 && values !== true) {
      const why = "additionalProperties and properties are mutual exclusive";
      faults.forbidden(`${path}.additionalProperties`, why);
    }
    const noDefault = inMeta ? "inside additionalProperties applying to object metadata" : place.noDefault;
    const at = { ...below, path: `${path}.additionalProperties`, noDefault };
    if (typeof values === "object") checkSchema(values, at, faults);
  }
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = (isRoot || isEmbedded(schema)) && objectFields.includes(name);
    const noDefault = isMeta && isRoot ? `in top-level ${name}` : place.noDefault;
    const at = { ...below, path: `${path}.properties[${name}]`, inMeta: inMeta || isMeta, noDefault };
    checkSchema(property, at, faults);
  }
  const items = itemsOf(schema);
  if (items !== undefined) checkSchema(items, { ...below, path: `${path}.items` }, faults);
}

import type { Faults, JsonSchema } from "@kintsugi/api";
import { itemsOf, keepsUnknown, propertyOf } from "../schema-parts.ts";
import { explainPattern } from "../values/patterns.ts";

/** A schema in allOf, anyOf, oneOf or not, and the structure that it constrains. */
interface ConditionPlace {
  readonly path: string;
  /** The schema that declares the structure of the value. */
  readonly all: JsonSchema;
}

/** Fields that belong to the structure, with upstream's text for each. */
const structural = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["externalDocs", "must be undefined to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
] as const;

/**
 * Finds places where a condition declares structure, or constrains a field that the structure
 * lacks.
 */
export function checkCondition(schema: JsonSchema, { path, all }: ConditionPlace, faults: Faults): void {
  for (const [field, why] of structural) {
    const value = schema[field];
    const isEmpty = value === undefined || value === "" || (value === false && why.includes("false"));
    if (!isEmpty && !(Array.isArray(value) && value.length === 0)) faults.forbidden(`${path}.${field}`, why);
  }
  const broken = schema.pattern === undefined || schema.pattern === "" ? undefined : explainPattern(schema.pattern);
  if (broken !== undefined) {
    faults.invalid(`${path}.pattern`, schema.pattern, `must be a valid regular expression, but isn't: ${broken}`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const at = `${path}.properties[${name}]`;
    if (name === "metadata") faults.forbidden(at, "must not be specified in a nested context");
    checkBelow(property, { path: at, all }, { declared: propertyOf(all, name), faults });
  }
  const items = itemsOf(schema);
  if (items !== undefined) {
    checkBelow(items, { path: `${path}.items`, all }, { declared: itemsOf(all), faults });
  }
  for (const combination of ["anyOf", "allOf", "oneOf"] as const) {
    for (const [index, one] of (schema[combination] ?? []).entries()) {
      checkCondition(one, { path: `${path}.${combination}[${index}]`, all }, faults);
    }
  }
  if (schema.not !== undefined) checkCondition(schema.not, { path: `${path}.not`, all }, faults);
}

function checkBelow(
  schema: JsonSchema,
  { path, all }: ConditionPlace,
  { declared, faults }: { declared: JsonSchema | undefined; faults: Faults },
): void {
  if (declared === undefined && !keepsUnknown(all)) {
    const structure = path.replace(/\.(?:anyOf|allOf|oneOf)\[\d+\](?=\.)|\.not(?=\.)/g, "");
    faults.required(structure, `because it is defined in ${path}`);
    return;
  }
  checkCondition(schema, { path, all: declared ?? { "x-kubernetes-preserve-unknown-fields": true } }, faults);
}

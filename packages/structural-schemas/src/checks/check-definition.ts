import {
  collectFaults,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type Faults,
  type JsonSchema,
  sameJson,
  type ValidationIssue,
} from "@kintsugi/api";
import { ExpressionBudget } from "@kintsugi/cel";
import { checkExpressions } from "../rules/check-expressions.ts";
import { expressionsOf, rulesWithin } from "../rules/rule-list.ts";
import { checkPatterns } from "../values/patterns.ts";
import { checkDefaults } from "./check-defaults.ts";
import { checkSchema } from "./check-schema.ts";
import { checkSelectableFields } from "./check-selectable-fields.ts";
import { checkStructural } from "./check-structural.ts";

/**
 * Finds all faults of a definition's schemas. A schema that has not changed is not checked again,
 * because the result would be the same at the cost of the first check.
 */
export function checkSchemas(
  definition: CustomResourceDefinition,
  before: CustomResourceDefinition | undefined,
): readonly ValidationIssue[] {
  const changed = changedVersions(definition, before);
  return collectFaults((faults) => {
    const schemas = changed.flatMap(([, { schema }]) => (schema?.openAPIV3Schema as JsonSchema | undefined) ?? []);
    if (!checkPatterns(schemas, "spec.versions", faults)) return;
    const budget = new ExpressionBudget();
    for (const [index, version] of changed) checkVersion(version, { at: `spec.versions[${index}]`, budget }, faults);
  });
}

/** Lists all expressions that `checkSchemas` may compile. */
export function schemaExpressions(
  definition: CustomResourceDefinition,
  before: CustomResourceDefinition | undefined,
): readonly string[] {
  return changedVersions(definition, before).flatMap(([, { schema }]) =>
    expressionsOf(rulesWithin((schema?.openAPIV3Schema ?? {}) as JsonSchema)),
  );
}

function changedVersions(
  { spec }: CustomResourceDefinition,
  before: CustomResourceDefinition | undefined,
): [number, CustomResourceDefinitionVersion][] {
  return [...spec.versions.entries()].filter(([, version]) => {
    const old = before?.spec.versions.find(({ name }) => name === version.name);
    return old === undefined || !sameJson(old, version);
  });
}

/** The path of a version, and the compilation budget for the rules of all versions. */
interface VersionPlace {
  readonly at: string;
  readonly budget: ExpressionBudget;
}

function checkVersion(version: CustomResourceDefinitionVersion, { at, budget }: VersionPlace, faults: Faults): void {
  const schema = version.schema?.openAPIV3Schema as JsonSchema | undefined;
  if (schema === undefined) return;
  const path = `${at}.schema.openAPIV3Schema`;
  if (version.subresources?.status !== undefined) checkRoot(schema, path, faults);
  if (schema.nullable === true) faults.forbidden(`${path}.nullable`, "nullable cannot be true at the root");
  const ofStructure = collectFaults((found) => checkStructural(schema, path, found));
  if (ofStructure.length > 0) faults.addAll(ofStructure);
  else checkDefaults(schema, path, faults);
  const ofSchema = collectFaults((found) => checkSchema(schema, { path, isRoot: true }, found));
  faults.addAll(ofSchema);
  // Expressions about an invalid schema would be rejected for the schema's own faults.
  if (ofStructure.length + ofSchema.length === 0) checkExpressions(schema, { path, budget }, faults);
  checkSelectableFields(version.selectableFields ?? [], schema, { path: `${at}.selectableFields`, faults });
}

/** Fields of a root schema, named as in Go, with which a separable status may be combined. */
const allowedAtRoot: Readonly<Record<string, string>> = {
  description: "Description",
  type: "Type",
  format: "Format",
  title: "Title",
  maximum: "Maximum",
  exclusiveMaximum: "ExclusiveMaximum",
  minimum: "Minimum",
  exclusiveMinimum: "ExclusiveMinimum",
  maxLength: "MaxLength",
  minLength: "MinLength",
  pattern: "Pattern",
  maxItems: "MaxItems",
  minItems: "MinItems",
  uniqueItems: "UniqueItems",
  multipleOf: "MultipleOf",
  required: "Required",
  items: "Items",
  properties: "Properties",
  externalDocs: "ExternalDocs",
  example: "Example",
  "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
  "x-kubernetes-validations": "XValidations",
};

function checkRoot(schema: JsonSchema, path: string, faults: Faults): void {
  const where = "at the root of the schema if the status subresource is enabled";
  if (schema.type !== undefined && schema.type !== "" && schema.type !== "object") {
    faults.invalid(`${path}.type`, schema.type, `only "object" is allowed as the type ${where}`);
    return;
  }
  const isSet = (value: unknown) => value !== undefined && value !== false && value !== "" && !isEmptyList(value);
  const others = Object.entries(schema).filter(
    ([field, value]) => isSet(value) && !Object.hasOwn(allowedAtRoot, field),
  );
  if (others.length === 0) return;
  const allowed = Object.values(allowedAtRoot).join(" ");
  faults.invalid(path, schema, `only [${allowed}] fields are allowed ${where}`);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

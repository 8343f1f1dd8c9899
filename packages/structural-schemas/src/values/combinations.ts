import { collectFaults, type Faults, type JsonSchema, type ValidationIssue } from "@kintsugi/api";
import type { ValuePlace } from "./place.ts";

type Validate = (place: ValuePlace, faults: Faults) => void;

/** The conditions that consist of other schemas: allOf, anyOf, oneOf and not. */
export function validateCombinations(place: ValuePlace, faults: Faults, validate: Validate): void {
  const faultsOf = (schema: JsonSchema) => faultsOfWhole(place, schema, validate);
  const matches = (schema: JsonSchema) => faultsOf(schema).length === 0;
  const { allOf = [], anyOf = [], oneOf = [], not } = place.schema;
  // Upstream's faults of these conditions do not name a field.
  const refuse = (why: string) => faults.invalid("<nil>", "", `"${place.path}" must ${why}`);
  const ofAll = allOf.flatMap((schema) => faultsOf(schema));
  if (ofAll.length > 0) {
    faults.addAll(ofAll);
    refuse("validate all the schemas (allOf)");
  }
  if (anyOf.length > 0 && !anyOf.some((schema) => matches(schema))) {
    refuse("validate at least one schema (anyOf)");
  }
  if (oneOf.length > 0) {
    const valid = oneOf.filter((schema) => matches(schema)).length;
    const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
    if (valid !== 1) refuse(`validate one and only one schema (oneOf). ${found}`);
  }
  if (not !== undefined && matches(not)) refuse("not validate the schema (not)");
}

/** Conditions inspect the whole value, including its unchanged parts. */
function faultsOfWhole(
  { value, path, budget }: ValuePlace,
  schema: JsonSchema,
  validate: Validate,
): readonly ValidationIssue[] {
  return collectFaults((faults) => validate({ value, path, schema, budget }, faults));
}

import { type Faults, type JsonSchema, sameJson, type JsonValue } from "@kintsugi/api";
import { hasMembers } from "../json.ts";
import { isEmbedded, itemsOf, objectFields } from "../schema-parts.ts";
import { coerceEmbedded } from "../values/embedded-objects.ts";
import { pruneUnknown } from "../values/prune.ts";
import { newBudget } from "../values/place.ts";
import { validateValue } from "../values/validate-value.ts";

/** Finds defaults that are invalid, or have fields that would be pruned. */
export function checkDefaults(schema: JsonSchema, path: string, faults: Faults): void {
  checkBelow(schema, { path, isRoot: true }, faults);
}

function checkBelow(schema: JsonSchema, { path, isRoot }: { path: string; isRoot: boolean }, faults: Faults): void {
  if (schema.default !== undefined) checkDefault(schema, `${path}.default`, faults);
  const items = itemsOf(schema);
  if (items !== undefined) checkBelow(items, { path: `${path}.items`, isRoot: false }, faults);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    // The metadata of objects is coerced to its own type, regardless of its default.
    if ((isRoot || isEmbedded(schema)) && objectFields.includes(name)) continue;
    checkBelow(property, { path: `${path}.properties[${name}]`, isRoot: false }, faults);
  }
}

function checkDefault(schema: JsonSchema, path: string, faults: Faults): void {
  const value = schema.default as JsonValue;
  const kept = structuredClone({ value });
  pruneUnknown(kept, { properties: { value: schema } });
  if (!sameJson(kept.value, value)) faults.invalid(path, value, "must not have unknown fields");
  const coerced = structuredClone({ value });
  coerceEmbedded(coerced, { properties: { value: schema } });
  if (hasMembers(value) && !sameJson(coerced.value, value))
    faults.invalid(path, value, "must result in valid metadata");
  validateValue({ value, schema, path, budget: newBudget() }, faults);
}

import type { Faults, JsonSchema } from "@kintsugi/api";
import { simplePath } from "../paths/simple-path.ts";
import { propertyOf, valuesOf } from "../schema-parts.ts";

/** Upstream's limit. */
const fieldsMax = 8;

/** Finds faults in the fields that field selectors may use. */
export function checkSelectableFields(
  fields: readonly { jsonPath: string }[],
  schema: JsonSchema,
  { path, faults }: { path: string; faults: Faults },
): void {
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === "") {
      faults.required(at);
      continue;
    }
    const found = schemaAt(schema, jsonPath);
    if (typeof found === "string") {
      faults.invalid(at, jsonPath, `is an invalid path: ${found}`);
      continue;
    }
    if (simplePath(jsonPath)?.[0] === "metadata") faults.invalid(at, jsonPath, "must not point to fields in metadata");
    if (!["string", "boolean", "integer"].includes(found.type ?? "")) {
      const why =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      faults.invalid(at, jsonPath, why);
    }
    if (seen.has(jsonPath)) faults.duplicate(at, jsonPath);
    seen.add(jsonPath);
  }
  if (seen.size > fieldsMax) faults.tooMany(path, seen.size, fieldsMax);
}

/** The schema of the field at a path; a string that explains why the field does not exist. */
function schemaAt(schema: JsonSchema, path: string): JsonSchema | string {
  const names = simplePath(path);
  if (names === undefined) return "expected a path of names, such as .spec.color";
  let at = schema;
  for (const name of names) {
    const next = propertyOf(at, name) ?? valuesOf(at);
    if (next === undefined) return `does not refer to a valid field: ${JSON.stringify(name)}`;
    at = next;
  }
  return at;
}

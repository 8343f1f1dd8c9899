import type { JsonObject, JsonValue } from "@kintsugi/api";
import { celToJson } from "@kintsugi/cel";
import { assertTyped } from "../../apply/validate-applied.ts";
import { mergeApplied } from "../../apply/merge-applied.ts";
import type { FieldType } from "../../fields/field-type.ts";
import { stepText } from "../../fields/set-algebra.ts";
import { itemStep } from "../../fields/list-item-keys.ts";
import { shapeOf } from "../../fields/value-shape.ts";
import { isJsonObject, assertSafeJson } from "../../json-value.ts";
import { applyJsonPatch } from "../../patch/index.ts";

/**
 * Returns the object after a JSON patch whose operations are the value of an expression, or the
 * same object where a test operation fails. @throws Error when the patch cannot be applied.
 */
export function patchedByOperations(object: JsonObject, operations: unknown): JsonObject {
  const patch = (celToJson(operations) as JsonObject[]).map(({ from, ...operation }) => ({
    ...operation,
    ...(from === undefined || from === "" ? {} : { from }),
  }));
  try {
    return applyJsonPatch(object, patch);
  } catch (error) {
    const { message, details } = error as { message: string; details?: { causes?: { message?: string }[] } };
    const because = details?.causes?.[0]?.message ?? message;
    if (/^testing value .* failed: test failed$/.test(because)) return object;
    throw new Error(`JSONPath: ${because}`, { cause: error });
  }
}

/**
 * Returns the object with the fields that an expression made, merged as in server-side apply. The
 * expression does not become an owner of the fields.
 * @throws Error when the kind does not have the fields, or a field would be replaced as a whole.
 */
export function mergedWithConfiguration(object: JsonObject, configuration: unknown, as: FieldType): JsonObject {
  const applied = celToJson(configuration) as JsonObject;
  assertSafeJson(applied);
  try {
    assertTyped(applied, as, "");
  } catch (error) {
    const because = (error as Error).message.replace(/^failed to create typed patch object \(\): /, "");
    const why = `error applying patch: failed to convert patch object to typed object: ${because}`;
    throw new Error(why, { cause: error });
  }
  const atomics = atomicsOf(applied, as, "");
  if (atomics.length > 0) {
    const what = "may not mutate atomic arrays, maps or structs";
    throw new Error(`error applying patch: invalid ApplyConfiguration: ${what}: ${atomics.join(", ")}`);
  }
  return mergeApplied(object, applied, as) as JsonObject;
}

/**
 * Paths of the values that would be replaced as a whole. An author who means to set one field of
 * such a value would remove its other fields.
 */
function atomicsOf(value: JsonValue, as: FieldType, path: string): string[] {
  if (value === null || typeof value !== "object") return [];
  const shape = shapeOf(as, value);
  switch (shape.kind) {
    case "leaf":
      return [path];
    case "struct":
      return Object.entries(value as JsonObject).flatMap(([key, member]) => {
        const field = shape.fields.get(key);
        return field === undefined ? [] : atomicsOf(member, field, `${path}.${key}`);
      });
    case "map":
      return isJsonObject(value)
        ? Object.entries(value).flatMap(([key, member]) => atomicsOf(member, shape.values, `${path}.${key}`))
        : [];
    case "list":
      return (value as JsonValue[]).flatMap((item) =>
        atomicsOf(item, shape.items, path + stepText(itemStep(item, as, shape.items) ?? "")),
      );
  }
}

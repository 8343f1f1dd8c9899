import type { JsonSchema } from "@kintsugi/api";
import { itemsOf, valuesOf } from "../schema-parts.ts";

/** Objects are never larger than a request. */
const requestBytesMax = 3 * 1024 * 1024;

/** The maximum number of characters of the schema's text. */
export function textLengthMax({ maxLength, format, enum: values }: JsonSchema): number {
  if (values !== undefined && values.length > 0) return Math.max(...values.map((value) => String(value).length));
  if (format === "date-time" || format === "duration" || format === "date") return 32;
  return Math.min(maxLength ?? requestBytesMax, requestBytesMax);
}

/** The maximum number of items or members of the schema's list or map. */
export function elementsMax(schema: JsonSchema): number {
  const items = itemsOf(schema);
  if (items !== undefined) return Math.min(schema.maxItems ?? Infinity, fitting(bytesMin(items)));
  const values = valuesOf(schema);
  return Math.min(schema.maxProperties ?? Infinity, fitting(6 + (values === undefined ? 1 : bytesMin(values))));
}

/** The maximum number of the schema's values in one object. */
export function fittingInRequest(schema: JsonSchema): number {
  return fitting(bytesMin(schema));
}

/** The number of elements of this size, each followed by a comma, in one request. */
function fitting(bytes: number): number {
  return Math.floor(requestBytesMax / (bytes + 1));
}

/** The minimum bytes of a value of the schema as JSON. */
function bytesMin(schema: JsonSchema): number {
  switch (schema.type) {
    case "object": {
      const required = (schema.required ?? []).flatMap((name) => {
        const property =
          schema.properties !== undefined && Object.hasOwn(schema.properties, name)
            ? schema.properties[name]
            : undefined;
        // A client may omit a field with a default.
        return property === undefined || property.default !== undefined ? [] : [name.length + 4 + bytesMin(property)];
      });
      return 2 + required.reduce((sum, bytes) => sum + bytes, 0);
    }
    case "string":
      return 2 + (schema.minLength ?? 0);
    case "array":
      return 2;
    case "boolean":
      return 4;
    default:
      return 1;
  }
}

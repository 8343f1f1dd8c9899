import type { JsonSchema } from "@kintsugi/api";
import { itemsOf, valuesOf } from "../schema-parts.ts";

/** No object is larger than a request. */
const requestBytesMax = 3 * 1024 * 1024;

/** The most characters that a text of the schema has. */
export function textLengthMax({ maxLength, format, enum: values }: JsonSchema): number {
  if (values !== undefined && values.length > 0) return Math.max(...values.map((value) => String(value).length));
  if (format === "date-time" || format === "duration" || format === "date") return 32;
  return Math.min(maxLength ?? requestBytesMax, requestBytesMax);
}

/** The most items or members that a list or map of the schema has. */
export function elementsMax(schema: JsonSchema): number {
  const items = itemsOf(schema);
  if (items !== undefined) return Math.min(schema.maxItems ?? Infinity, fitting(bytesMin(items)));
  const values = valuesOf(schema);
  return Math.min(schema.maxProperties ?? Infinity, fitting(6 + (values === undefined ? 1 : bytesMin(values))));
}

/** The most values of a schema that one object has. */
export function fittingInRequest(schema: JsonSchema): number {
  return fitting(bytesMin(schema));
}

/** Elements of this size, with the comma behind each, in one request. */
function fitting(bytes: number): number {
  return Math.floor(requestBytesMax / (bytes + 1));
}

/** The fewest bytes that a value of the schema takes as JSON. */
function bytesMin(schema: JsonSchema): number {
  switch (schema.type) {
    case "object": {
      const required = (schema.required ?? []).flatMap((name) => {
        const property =
          schema.properties !== undefined && Object.hasOwn(schema.properties, name)
            ? schema.properties[name]
            : undefined;
        // A client may leave out what has a default.
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

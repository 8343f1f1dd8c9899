import type { JsonObject, JsonSchema, JsonValue } from "@kintsugi/api";
import { type CelExpression, compileCel } from "@kintsugi/cel";
import { hasMembers } from "../json.ts";
import { isEmbedded, itemsOf, propertyOf, valuesOf } from "../schema-parts.ts";

/** Words that CEL reserves; as names of fields they are escaped. */
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** The name of a field in expressions: `foo-bar` is `foo__dash__bar`. */
export function escapedName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}

/** Converts a value of a schema to a value of an expression; integers are exact. */
export function toCel(value: JsonValue, schema: JsonSchema, isRoot = false): unknown {
  if (typeof value === "number") return schema.type !== "number" && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === "string") return textOf(value, schema);
  if (Array.isArray(value)) return value.map((item) => toCel(item, itemsOf(schema) ?? {}));
  if (!hasMembers(value)) return value;
  return toCelObject(value, schema, isRoot || isEmbedded(schema));
}

/** A map whose keys cannot access a prototype. */
function toCelObject(object: JsonObject, schema: JsonSchema, isApiObject: boolean): Map<string, unknown> {
  const result = new Map<string, unknown>();
  const values = valuesOf(schema);
  for (const [key, member] of Object.entries(object)) {
    const own = propertyOf(schema, key);
    if (isApiObject && key === "metadata") result.set(key, namesOf(member));
    else if (isApiObject && (key === "apiVersion" || key === "kind")) result.set(key, member);
    else if (own !== undefined) result.set(escapedName(key), toCel(member, own));
    // The keys of a map are data, and undeclared members of an object are invisible.
    else if (values !== undefined) result.set(key, toCel(member, values));
  }
  return result;
}

/** Rules can read only the names in the metadata. */
function namesOf(metadata: JsonValue): Record<string, unknown> {
  if (!hasMembers(metadata)) return {};
  const { name, generateName } = metadata;
  return { ...(name !== undefined && { name }), ...(generateName !== undefined && { generateName }) };
}

const conversions = {
  "date-time": "timestamp(text)",
  date: 'timestamp(text + "T00:00:00Z")',
  duration: "duration(text)",
};

/**
 * Each expression is compiled only at its first use, because a list may have a hundred thousand
 * strings, and most processes never have such a string.
 */
const converters = new Map<string, CelExpression>();

/** Strings of some formats become values of their own types. */
function textOf(text: string, { format = "" }: JsonSchema): unknown {
  if (!Object.hasOwn(conversions, format)) return text;
  const converter = converters.get(format) ?? compileCel(conversions[format as keyof typeof conversions]);
  converters.set(format, converter);
  const result = converter.evaluate({ text }, { costLeft: 1000 });
  return result.outcome === "value" ? result.value : text;
}

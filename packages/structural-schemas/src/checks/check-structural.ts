import { type Faults, type JsonSchema, sameJson } from "@kintsugi/api";
import { isEmbedded, isIntOrString, itemsOf, keepsUnknown } from "../schema-parts.ts";
import { explainPattern } from "../values/patterns.ts";
import { checkCondition } from "./check-condition.ts";

type Level = "root" | "item" | "field";

const emptyType = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
} as const;

/**
 * Finds where a schema is not structural: a field without a type, or conditions about undeclared
 * fields.
 */
export function checkStructural(schema: JsonSchema, path: string, faults: Faults): void {
  checkLevel(schema, { level: "root", path }, faults);
}

function checkLevel(schema: JsonSchema, { level, path }: { level: Level; path: string }, faults: Faults): void {
  const { type = "", additionalProperties: values } = schema;
  const items = itemsOf(schema);
  if (type === "array" && items === undefined) faults.required(`${path}.items`, "must be specified");
  if (items !== undefined) checkLevel(items, { level: "item", path: `${path}.items` }, faults);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkLevel(property, { level: "field", path: `${path}.properties[${name}]` }, faults);
  }
  if (values !== undefined && level === "root") {
    faults.forbidden(`${path}.additionalProperties`, "must not be used at the root");
  }
  if (typeof values === "object") checkLevel(values, { level: "field", path: `${path}.additionalProperties` }, faults);
  checkExtensions(schema, path, faults);
  checkConditions(schema, path, faults);
  checkType(schema, { level, path }, faults);
  checkMetadata(schema, { level, path }, faults);
}

function checkExtensions(schema: JsonSchema, path: string, faults: Faults): void {
  if (!isIntOrString(schema)) return;
  for (const [field, isSet] of [
    ["x-kubernetes-preserve-unknown-fields", keepsUnknown(schema)],
    ["x-kubernetes-embedded-resource", isEmbedded(schema)],
  ] as const) {
    if (isSet) faults.invalid(`${path}.${field}`, true, "must be false if x-kubernetes-int-or-string is true");
  }
}

/** The two forms in which conditions may contain the types of an integer or string. */
const intOrString: readonly JsonSchema[] = [{ type: "integer" }, { type: "string" }];

function checkConditions(schema: JsonSchema, path: string, faults: Faults): void {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = "" } = schema;
  const all = schema;
  if (!sameJson(anyOf, intOrString)) {
    for (const [index, one] of anyOf.entries()) checkCondition(one, { path: `${path}.anyOf[${index}]`, all }, faults);
  }
  for (const [index, one] of allOf.entries()) {
    const isTypes = index === 0 && sameJson(one.anyOf, intOrString);
    checkCondition(isTypes ? { ...one, anyOf: [] } : one, { path: `${path}.allOf[${index}]`, all }, faults);
  }
  for (const [index, one] of oneOf.entries()) checkCondition(one, { path: `${path}.oneOf[${index}]`, all }, faults);
  if (not !== undefined) checkCondition(not, { path: `${path}.not`, all }, faults);
  const broken = pattern === "" ? undefined : explainPattern(pattern);
  if (broken !== undefined) {
    faults.invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${broken}`);
  }
}

function checkType(schema: JsonSchema, { level, path }: { level: Level; path: string }, faults: Faults): void {
  const { type = "" } = schema;
  const embedded = isEmbedded(schema);
  if (embedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    if (type === "") faults.required(`${path}.type`, why);
    else faults.invalid(`${path}.type`, type, why);
  } else if (type === "" && !isIntOrString(schema) && !keepsUnknown(schema)) {
    faults.required(`${path}.type`, emptyType[level]);
  }
  if (embedded && schema.additionalProperties !== undefined) {
    const why = "must not be used if x-kubernetes-embedded-resource is set";
    faults.forbidden(`${path}.additionalProperties`, why);
  }
  if (level === "root" && type !== "" && type !== "object") {
    faults.invalid(`${path}.type`, type, "must be object at the root");
  }
  if (embedded && !keepsUnknown(schema) && Object.keys(schema.properties ?? {}).length === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    faults.required(`${path}.properties`, why);
  }
}

/** The fields of every object are known, so only names may be restricted. */
function checkMetadata(schema: JsonSchema, { level, path }: { level: Level; path: string }, faults: Faults): void {
  const isObject = level === "root" || isEmbedded(schema);
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  for (const [name, property] of Object.entries({ kind, apiVersion })) {
    if (property === undefined || !isObject || property.type === "string") continue;
    faults.invalid(`${path}.properties[${name}].type`, property.type ?? "", "must be string");
  }
  if (metadata === undefined) return;
  const at = `${path}.properties[metadata]`;
  if (isObject && metadata.type !== "object") faults.invalid(`${at}.type`, metadata.type ?? "", "must be object");
  if (level !== "root") return;
  const { type: _type, properties = {}, description: _description, ...rest } = metadata;
  const others = Object.keys(properties).filter((name) => name !== "name" && name !== "generateName");
  if (others.length > 0 || Object.keys(rest).length > 0) {
    const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    faults.forbidden(at, why);
  }
}

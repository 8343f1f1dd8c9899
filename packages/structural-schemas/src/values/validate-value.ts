import { type Faults, type JsonSchema, sameJson, type JsonObject, type JsonValue } from "@kintsugi/api";
import { hasMembers } from "../json.ts";
import { isIntOrString, itemsOf, propertyOf, valuesOf } from "../schema-parts.ts";
import { validateCombinations } from "./combinations.ts";
import { hasFormat } from "./formats.ts";
import { matchesPattern } from "./patterns.ts";
import { type ValuePlace, spendVisit } from "./place.ts";

/** Finds all faults of a value by its schema. The messages follow OpenAPI's validation in Go. */
export function validateValue(place: ValuePlace, faults: Faults): void {
  const { value, schema, before, budget } = place;
  spendVisit(budget);
  if (before !== undefined && sameJson(value, before)) return;
  if (value === null && schema.nullable === true) return;
  if (!validateType(place, faults)) return;
  validateCombinations(place, faults, validateValue);
  validateEnum(place, faults);
  if (typeof value === "string") validateText(value, place, faults);
  else if (typeof value === "number") validateNumber(value, place, faults);
  else if (Array.isArray(value)) validateList(value, place, faults);
  else if (hasMembers(value)) validateObject(value, place, faults);
}

/** The path as in messages and in the fields of faults. */
function fieldOf(path: string): string {
  return path === "" ? "<nil>" : path;
}

function invalid({ value, path }: ValuePlace, why: string, faults: Faults): void {
  faults.invalid(fieldOf(path), value, `${path} in body ${why}`);
}

function validateType(place: ValuePlace, faults: Faults): boolean {
  const { value, schema, path } = place;
  const actual = typeOf(value);
  if (isIntOrString(schema)) {
    if (actual === "integer" || actual === "string") return true;
    faults.invalidType(fieldOf(path), actual, `${path} in body must be of type integer,string: "${actual}"`);
    return false;
  }
  const { type } = schema;
  if (type === undefined || type === "" || type === actual || (type === "number" && actual === "integer")) return true;
  faults.invalidType(fieldOf(path), actual, `${path} in body must be of type ${type}: "${actual}"`);
  return false;
}

function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function validateEnum({ value, schema, path }: ValuePlace, faults: Faults): void {
  if (schema.enum === undefined || schema.enum.length === 0) return;
  if (schema.enum.some((one) => sameJson(one, value))) return;
  faults.notSupportedValue(fieldOf(path), value, schema.enum);
}

function validateText(text: string, place: ValuePlace, faults: Faults): void {
  const { schema, path } = place;
  const { maxLength, minLength } = schema;
  const length = maxLength === undefined && minLength === undefined ? 0 : runesIn(text);
  if (maxLength !== undefined && length > maxLength) faults.tooLong(fieldOf(path), maxLength);
  if (minLength !== undefined && length < minLength)
    invalid(place, `should be at least ${minLength} chars long`, faults);
  if (schema.pattern !== undefined && schema.pattern !== "" && !matchesPattern(text, schema.pattern, place.budget)) {
    invalid(place, `should match '${schema.pattern}'`, faults);
  }
  const { format } = schema;
  if (format !== undefined && !hasFormat(text, format)) {
    faults.invalid(fieldOf(path), text, `${path} in body must be of type ${format}: ${JSON.stringify(text)}`);
  }
}

/** Characters as Go counts them: one for each code point. */
function runesIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function validateNumber(number: number, place: ValuePlace, faults: Faults): void {
  const { maximum, minimum, exclusiveMaximum, exclusiveMinimum, multipleOf, format, type } = place.schema;
  if (maximum !== undefined && (exclusiveMaximum === true ? number >= maximum : number > maximum)) {
    invalid(place, `should be less than ${exclusiveMaximum === true ? "" : "or equal to "}${maximum}`, faults);
  }
  if (minimum !== undefined && (exclusiveMinimum === true ? number <= minimum : number < minimum)) {
    invalid(place, `should be greater than ${exclusiveMinimum === true ? "" : "or equal to "}${minimum}`, faults);
  }
  if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(number, multipleOf)) {
    invalid(place, `should be a multiple of ${multipleOf}`, faults);
  }
  if (format === "int32" && type === "integer" && (number < -(2 ** 31) || number >= 2 ** 31)) {
    invalid(place, `must be of type int32: "${number}"`, faults);
  }
}

function isMultiple(number: number, of: number): boolean {
  const quotient = number / of;
  return Number.isInteger(quotient) || Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.abs(quotient);
}

function validateList(list: readonly JsonValue[], place: ValuePlace, faults: Faults): void {
  const { schema, path, before } = place;
  const { maxItems, minItems } = schema;
  if (maxItems !== undefined && list.length > maxItems) faults.tooMany(fieldOf(path), list.length, maxItems);
  if (minItems !== undefined && list.length < minItems)
    invalid(place, `should have at least ${minItems} items`, faults);
  const items = itemsOf(schema);
  if (items === undefined) return;
  const earlier = itemsBefore(schema, before);
  for (const [index, value] of list.entries()) {
    validateValue({ ...place, value, schema: items, path: `${path}[${index}]`, before: earlier(value) }, faults);
  }
}

/** Finds the stored item with the same keys; only items of lists of type map are correlated. */
export function itemsBefore(
  schema: JsonSchema,
  before: JsonValue | undefined,
): (item: JsonValue) => JsonValue | undefined {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(before)) return () => undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const known = new Map(before.map((item) => [keyOf(item, keys), item]));
  return (item) => known.get(keyOf(item, keys));
}

export function keyOf(item: JsonValue, keys: readonly string[]): string {
  return JSON.stringify(hasMembers(item) ? keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null)) : null);
}

function validateObject(object: JsonObject, place: ValuePlace, faults: Faults): void {
  const { schema, path, before } = place;
  const count = Object.keys(object).length;
  const { maxProperties, minProperties } = schema;
  if (maxProperties !== undefined && count > maxProperties) faults.tooMany(fieldOf(path), count, maxProperties);
  if (minProperties !== undefined && count < minProperties) {
    invalid(place, `should have at least ${minProperties} properties`, faults);
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(object, name)) faults.required(memberPath(path, name));
  }
  const values = valuesOf(schema);
  for (const key of Object.keys(object)) {
    const member = propertyOf(schema, key) ?? values;
    if (member === undefined) continue;
    const old = hasMembers(before) && Object.hasOwn(before, key) ? before[key] : undefined;
    const at = { value: object[key] ?? null, schema: member, path: memberPath(path, key), before: old };
    validateValue({ ...place, ...at }, faults);
  }
}

export function memberPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

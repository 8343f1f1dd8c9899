import type { FieldDescription, JsonObject, JsonValue, TypeDescription } from "@kintsugi/api";
import { isJsonObject } from "../json-value.ts";
import type { FieldType } from "./field-type.ts";
import { itemStep } from "./list-item-keys.ts";

/**
 * A set of field paths in the form of FieldsV1. Each key is one step: "f:name" is a field,
 * `k:{"name":"web"}` a list item by its keys, and `v:"x"` a list item by its value. "." means that
 * the path so far is itself a member of the set. A path without children is a leaf.
 *   {"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{}}}}}
 */
export interface FieldSet {
  [step: string]: FieldSet;
}

/** One part of a composite value. */
export interface Part {
  step: string;
  value: JsonValue;
  type: FieldType;
  /**
   * The part, if composite and not empty, is itself a member of the set: maps, lists and items are,
   * structs are not.
   */
  itself: boolean;
}

/**
 * The parts of a value that can be owned separately; `undefined` when the value is owned as a
 * whole.
 */
export function partsOf(value: JsonValue, as: FieldType): Part[] | undefined {
  if (as.mapType === "atomic" || as.listType === "atomic") return undefined;
  const { type } = as;
  switch (type.type) {
    case "object":
      return isJsonObject(value) && type.mapType !== "atomic" ? objectParts(value, type.fields) : undefined;
    case "map":
      return isJsonObject(value) ? mapParts(value, type.values) : undefined;
    case "list":
      return Array.isArray(value) ? listParts(value, as, type.items) : undefined;
    case "any":
      return type.deduced === true && isJsonObject(value) ? mapParts(value, type) : undefined;
    default:
      return undefined;
  }
}

/** The fields of a struct that is owned field by field; `undefined` for any other value. */
export function structFieldsOf({ type, mapType }: FieldType): ReadonlyMap<string, FieldDescription> | undefined {
  return type.type === "object" && type.mapType !== "atomic" && mapType !== "atomic" ? type.fields : undefined;
}

function objectParts(value: JsonObject, fields: ReadonlyMap<string, FieldDescription>): Part[] {
  const parts: Part[] = [];
  for (const key of Object.keys(value)) {
    const field = fields.get(key);
    const child = value[key];
    if (field === undefined || child === undefined) continue;
    parts.push({ step: `f:${key}`, value: child, type: field, itself: isItselfOwned(field) });
  }
  return parts;
}

function mapParts(value: JsonObject, values: TypeDescription): Part[] {
  return Object.entries(value).map(([key, child]) => ({
    step: `f:${key}`,
    value: child,
    type: { type: values },
    itself: values.type === "map" || values.type === "list" || isOptional(values),
  }));
}

function listParts(value: readonly JsonValue[], as: FieldType, items: TypeDescription): Part[] | undefined {
  if (as.listType !== "set" && as.listType !== "map") return undefined;
  return value.flatMap((item) => {
    const step = itemStep(item, as, { type: items });
    return step === undefined ? [] : [{ step, value: item, type: { type: items }, itself: true }];
  });
}

/** All fields of `value`, as a set relative to it. */
export function fieldsOf(value: JsonValue, as: FieldType, itself = false): FieldSet {
  const { type } = as;
  if (as.mapType === "atomic" || as.listType === "atomic") return {};
  // Structs are by far the most frequent values, and `objectParts` would create an object for each
  // field.
  if (type.type === "object" && isJsonObject(value))
    return type.mapType === "atomic" ? {} : structFields(value, type.fields, itself);
  const parts = partsOf(value, as);
  const set: FieldSet = {};
  if (parts === undefined || parts.length === 0) return set;
  if (itself) set["."] = {};
  for (const part of parts) set[part.step] = fieldsOf(part.value, part.type, part.itself);
  return set;
}

function structFields(value: JsonObject, fields: ReadonlyMap<string, FieldDescription>, itself: boolean): FieldSet {
  const set: FieldSet = {};
  for (const key of Object.keys(value)) {
    const field = fields.get(key);
    const child = value[key];
    if (field === undefined || child === undefined) continue;
    if (itself && set["."] === undefined) set["."] = {};
    set[`f:${key}`] = child === null || typeof child !== "object" ? {} : fieldsOf(child, field, isItselfOwned(field));
  }
  return set;
}

/**
 * Reports whether a field's own path can have an owner. A list that upstream always writes never
 * has an owner, because even an empty object has the list, as null.
 */
export function isItselfOwned(field: FieldDescription): boolean {
  return field.type.type === "map" || (field.type.type === "list" && !field.required) || isOptional(field.type);
}

/**
 * Reports whether a value of the type, even an empty value, exists only after a manager has set it.
 */
function isOptional(type: TypeDescription): boolean {
  return type.type === "object" ? type.optional === true : type.type === "any" && type.deduced === true;
}

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Adds the members of `more` to `set`, which is changed. `more` may be shared afterwards. */
export function addAll(set: FieldSet, more: FieldSet): void {
  for (const step of Object.keys(more)) {
    const theirs = more[step] ?? {};
    const ours = set[step];
    if (ours === undefined) {
      set[step] = theirs;
    } else if (step !== ".") {
      const merged = isEmptySet(ours) && !isEmptySet(theirs) ? { ".": {} } : { ...ours };
      if (isEmptySet(theirs) && !isEmptySet(merged)) merged["."] = {};
      addAll(merged, theirs);
      set[step] = merged;
    }
  }
}

/** The members of `set` that are not in `less`. */
export function without(set: FieldSet, less: FieldSet): FieldSet {
  const rest: FieldSet = {};
  for (const step of Object.keys(set)) {
    const ours = set[step] ?? {};
    const theirs = less[step];
    if (theirs === undefined) {
      rest[step] = ours;
    } else if (step !== ".") {
      const below = withoutBelow(ours, theirs);
      if (below !== undefined) rest[step] = below;
    }
  }
  return rest;
}

/**
 * Computes `without` one step down, where the path itself may be a member; `undefined` when the
 * result is empty.
 */
function withoutBelow(ours: FieldSet, theirs: FieldSet): FieldSet | undefined {
  const theyHaveIt = isEmptySet(theirs) || theirs["."] !== undefined;
  if (isEmptySet(ours)) return theyHaveIt ? undefined : ours;
  const rest = without(ours, theirs);
  if (theyHaveIt) delete rest["."];
  if (isEmptySet(rest)) return undefined;
  const onlyItself = rest["."] !== undefined && Object.keys(rest).length === 1;
  return onlyItself ? {} : rest;
}

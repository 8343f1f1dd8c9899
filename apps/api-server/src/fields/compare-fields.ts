import { isDeepStrictEqual } from "node:util";
import { type FieldDescription, type JsonObject, type JsonValue, sameJson } from "@kintsugi/api";
import { type FieldSet, fieldsOf, isEmptySet, isItselfOwned, type Part, partsOf, structFieldsOf } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { isJsonObject } from "../json-value.ts";

/** The changes that a write made to an object. */
export interface FieldChanges {
  /** Added or modified. */
  changed: FieldSet;
  removed: FieldSet;
}

export function compareFields(before: JsonValue, after: JsonValue, as: FieldType): FieldChanges {
  const changes: FieldChanges = { changed: {}, removed: {} };
  const fields = structFieldsOf(as);
  if (fields !== undefined && isJsonObject(before) && isJsonObject(after))
    compareStructs({ before, after, fields }, changes);
  else compareParts(partsOf(before, as) ?? [], partsOf(after, as) ?? [], changes);
  return changes;
}

/**
 * Compares like `compareParts` without making parts, because structs are by far the most frequent
 * and most of their fields are unchanged.
 */
function compareStructs(
  pair: { before: JsonObject; after: JsonObject; fields: ReadonlyMap<string, FieldDescription> },
  changes: FieldChanges,
): void {
  const { before, after, fields } = pair;
  for (const key of Object.keys(after)) {
    const value = after[key];
    const old = before[key];
    if (value === old || value === undefined) continue;
    const field = fields.get(key);
    if (field === undefined) continue;
    if (old === undefined) changes.changed[`f:${key}`] = fieldsOf(value, field, isItselfOwned(field));
    else comparePart(`f:${key}`, { before: old, after: value, type: field }, changes);
  }
  for (const key of Object.keys(before)) {
    const old = before[key];
    if (old === undefined || after[key] !== undefined) continue;
    const field = fields.get(key);
    if (field !== undefined) changes.removed[`f:${key}`] = withEveryPath(fieldsOf(old, field));
  }
}

function compareParts(partsBefore: readonly Part[], partsAfter: readonly Part[], changes: FieldChanges): void {
  const byStep = new Map(partsBefore.map((part) => [part.step, part]));
  for (const part of partsAfter) {
    const old = byStep.get(part.step);
    byStep.delete(part.step);
    if (old === undefined) {
      changes.changed[part.step] = fieldsOf(part.value, part.type, part.itself);
    } else if (old.value !== part.value) {
      comparePart(part.step, { before: old.value, after: part.value, type: part.type }, changes);
    }
  }
  for (const part of byStep.values()) changes.removed[part.step] = withEveryPath(fieldsOf(part.value, part.type));
}

/**
 * A removed struct also removes every path below it and its own path, because a manager that stated
 * the struct while it was empty owns that path.
 */
function withEveryPath(set: FieldSet): FieldSet {
  if (isEmptySet(set)) return set;
  const all: FieldSet = { ".": {} };
  for (const [step, below] of Object.entries(set)) if (step !== ".") all[step] = withEveryPath(below);
  return all;
}

function comparePart(
  step: string,
  pair: { before: JsonValue; after: JsonValue; type: FieldType },
  changes: FieldChanges,
): void {
  // Most lists of a changed object are unchanged, and comparing them costs less than making their
  // parts.
  if (Array.isArray(pair.after) && sameJson(pair.before, pair.after)) return;
  // A part that is empty on one side differs only in the members of the other side; the part itself
  // is on both sides.
  const piecewise = hasParts(pair.before, pair.type) || hasParts(pair.after, pair.type);
  if (!piecewise) {
    if (!isDeepStrictEqual(pair.before, pair.after)) changes.changed[step] = {};
    return;
  }
  const below = compareFields(pair.before, pair.after, pair.type);
  if (!isEmptySet(below.changed)) changes.changed[step] = below.changed;
  if (!isEmptySet(below.removed)) changes.removed[step] = below.removed;
}

function hasParts(value: JsonValue, type: FieldType): boolean {
  if (value === null || typeof value !== "object") return false;
  const fields = structFieldsOf(type);
  if (fields !== undefined && isJsonObject(value)) {
    return Object.keys(value).some((key) => value[key] !== undefined && fields.has(key));
  }
  const parts = partsOf(value, type);
  return parts !== undefined && parts.length > 0;
}

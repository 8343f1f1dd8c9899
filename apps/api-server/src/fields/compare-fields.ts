import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../json.ts";
import { type FieldSet, type FieldType, fieldsOf, isEmptySet, partsOf } from "./field-set.ts";

/** What a write did to an object. */
export interface FieldChanges {
  /** Added or modified. */
  changed: FieldSet;
  removed: FieldSet;
}

export function compareFields(before: JsonValue, after: JsonValue, as: FieldType): FieldChanges {
  const partsBefore = partsOf(before, as) ?? [];
  const partsAfter = partsOf(after, as) ?? [];
  const changes: FieldChanges = { changed: {}, removed: {} };
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
  for (const part of byStep.values()) changes.removed[part.step] = fieldsOf(part.value, part.type, part.itself);
  return changes;
}

function comparePart(
  step: string,
  pair: { before: JsonValue; after: JsonValue; type: FieldType },
  changes: FieldChanges,
): void {
  const piecewise = hasParts(pair.before, pair.type) && hasParts(pair.after, pair.type);
  if (!piecewise) {
    if (!isDeepStrictEqual(pair.before, pair.after)) changes.changed[step] = {};
    return;
  }
  const below = compareFields(pair.before, pair.after, pair.type);
  if (!isEmptySet(below.changed)) changes.changed[step] = below.changed;
  if (!isEmptySet(below.removed)) changes.removed[step] = below.removed;
}

function hasParts(value: JsonValue, type: FieldType): boolean {
  const parts = partsOf(value, type);
  return parts !== undefined && parts.length > 0;
}

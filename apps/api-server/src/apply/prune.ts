import { addAll, type FieldSet, type FieldType, without } from "../fields/field-set.ts";
import { tracked, withUntracked } from "../fields/managed-fields.ts";
import { intersection, withNamedFields } from "../fields/set-algebra.ts";
import type { JsonObject } from "../json.ts";
import { appliedFields } from "./applied-fields.ts";
import { removeFields } from "./remove-fields.ts";

/**
 * Returns `merged` without the fields that its applier owned `last`, unless another manager still
 * owns them (`owned` is the union of all managers, the applier's new part included), or they hold
 * fields that the applier did not own. The three steps are upstream's: an item whose key field
 * another manager owns stays as a whole, and so do fields in it without an owner.
 */
export function prune(merged: JsonObject, sets: { last: FieldSet; owned: FieldSet }, type: FieldType): JsonObject {
  if (Object.keys(sets.last).length === 0) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  // Identity has no owner, so it takes no part: the last own field of metadata would take it along.
  const whole = tracked(merged);
  const membersOf = (object: JsonObject): FieldSet => named(appliedFields(object, type));
  const remove = (fields: FieldSet): JsonObject => (removeFields(whole, fields, type) ?? {}) as JsonObject;
  const last = named(sets.last);
  const all = membersOf(whole);
  const kept: FieldSet = {};
  addAll(kept, membersOf(remove(last)));
  addAll(kept, named(sets.owned));
  const withOwned = remove(without(all, kept));
  return withUntracked(remove(intersection(without(all, membersOf(withOwned)), last)), merged);
}

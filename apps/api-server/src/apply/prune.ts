import { addAll, type FieldSet, type FieldType, without } from "../fields/field-set.ts";
import { tracked } from "../fields/managed-fields.ts";
import { intersection, withNamedFields } from "../fields/set-algebra.ts";
import type { JsonObject } from "../json.ts";
import { appliedFields } from "./applied-fields.ts";
import { removeFields } from "./remove-fields.ts";

/**
 * `merged` without what its applier owned `last`, unless somebody owns it still (`owned` is
 * everybody's, the applier's new part included), or it holds something that the applier did not
 * own. In upstream's three steps: an item whose key field somebody else owns stays as a whole, and
 * so does what stands in it without an owner.
 */
export function prune(merged: JsonObject, sets: { last: FieldSet; owned: FieldSet }, type: FieldType): JsonObject {
  if (Object.keys(sets.last).length === 0) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const membersOf = (object: JsonObject): FieldSet => named(appliedFields(tracked(object), type));
  const remove = (fields: FieldSet): JsonObject => (removeFields(merged, fields, type) ?? {}) as JsonObject;
  const last = named(sets.last);
  const all = membersOf(merged);
  const kept: FieldSet = {};
  addAll(kept, membersOf(remove(last)));
  addAll(kept, named(sets.owned));
  const withOwned = remove(without(all, kept));
  return remove(intersection(without(all, membersOf(withOwned)), last));
}

import type { JsonObject, ManagedFieldsEntry } from "@kintsugi/api";
import { addAll, type FieldSet, isEmptySet, without } from "../fields/field-set.ts";
import type { FieldType } from "../fields/field-type.ts";
import type { FieldVersions } from "../fields/field-versions.ts";
import { tracked, withUntracked } from "../fields/tracked-fields.ts";
import { intersection, withNamedFields } from "../fields/set-algebra.ts";
import { appliedFields } from "./applied-fields.ts";
import { removeFields } from "./remove-fields.ts";

interface Owners {
  /** The applier's entry before this apply. */
  last: ManagedFieldsEntry | undefined;
  /** The entries of all managers, including the applier's new entry. */
  owners: readonly ManagedFieldsEntry[];
}

/**
 * Returns `merged` without the fields that its applier owned in `last`, unless another manager
 * still owns them or they contain fields that the applier did not own. The three steps are
 * upstream's: an item whose key field another manager owns is retained as a whole, including its
 * fields without an owner. Each owner's fields are inspected in the version in which they were
 * written.
 */
export function pruneUnapplied(
  merged: JsonObject,
  { last, owners }: Owners,
  { versions, apiVersion }: { versions: FieldVersions; apiVersion: string },
): JsonObject {
  const fields = (last?.fieldsV1 ?? {}) as FieldSet;
  const version = last?.apiVersion ?? apiVersion;
  const type = versions.typeOf(version);
  if (isEmptySet(fields) || type === undefined) return merged;
  const atLast = versions.convert(merged, version);
  const ofApplier = withNamedFields(fields, type);
  let pair: Pair = { merged: atLast, pruned: withoutFields(atLast, ofApplier, type) };
  for (const [at, owned] of ownedByVersion(owners, version)) pair = withOwned(pair, { at, owned, versions });
  const gone = without(membersOf(atLast, type), membersOf(versions.convert(pair.pruned, version), type));
  return versions.convert(withoutFields(atLast, intersection(gone, ofApplier), type), apiVersion);
}

/** The same object before and after its removal of fields, in one version. */
interface Pair {
  merged: JsonObject;
  pruned: JsonObject;
}

function withOwned(
  pair: Pair,
  { at, owned, versions }: { at: string; owned: FieldSet; versions: FieldVersions },
): Pair {
  const type = versions.typeOf(at);
  if (type === undefined) return pair;
  const [merged, pruned] = [versions.convert(pair.merged, at), versions.convert(pair.pruned, at)];
  const kept: FieldSet = {};
  addAll(kept, membersOf(pruned, type));
  addAll(kept, withNamedFields(owned, type));
  return { merged, pruned: withoutFields(merged, without(membersOf(merged, type), kept), type) };
}

/**
 * The fields of all owners. `first` is the first owner, because a conversion may need fields that
 * it owns.
 */
function ownedByVersion(owners: readonly ManagedFieldsEntry[], first: string): ReadonlyMap<string, FieldSet> {
  const owned = new Map<string, FieldSet>([[first, {}]]);
  for (const { apiVersion = "", fieldsV1 } of owners) {
    const union = owned.get(apiVersion) ?? {};
    addAll(union, (fieldsV1 ?? {}) as FieldSet);
    owned.set(apiVersion, union);
  }
  return owned;
}

function membersOf(object: JsonObject, type: FieldType): FieldSet {
  return withNamedFields(appliedFields(tracked(object), type), type);
}

/**
 * Identity has no owner and is excluded, because otherwise the last owned field of metadata would
 * remove it.
 */
function withoutFields(object: JsonObject, fields: FieldSet, type: FieldType): JsonObject {
  return withUntracked((removeFields(tracked(object), fields, type) ?? {}) as JsonObject, object);
}

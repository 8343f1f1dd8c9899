import { type JsonObject, type ManagedFieldsEntry, withoutNulls } from "@kintsugi/api";
import type { FieldChanges } from "../fields/compare-fields.ts";
import { inOrder } from "../fields/managed-entries.ts";
import { type FieldSet, fieldsOf, isEmptySet, without } from "../fields/field-set.ts";
import type { FieldType } from "../fields/field-type.ts";
import { changesByVersion, type FieldVersions } from "../fields/field-versions.ts";
import { tracked } from "../fields/tracked-fields.ts";
import { intersection, withoutBranches } from "../fields/set-algebra.ts";
import { appliedFields } from "./applied-fields.ts";
import { conflictsOf, type FieldConflict } from "./field-conflict.ts";
import { allowedByLastApplied } from "./last-applied.ts";
import { mergeApplied } from "./merge-applied.ts";
import { pruneUnapplied } from "./prune-unapplied.ts";

// An example of an apply:
//
//   live      {spec: {replicas: 3, paused: true}}   one (Apply) owns replicas, two (Update) paused
//   applied   {spec: {minReadySeconds: 5}}          by one
//   merged    live and applied together:            {replicas: 3, paused: true, minReadySeconds: 5}
//   pruned    without the fields that one applied
//             last time, leaves out now, and no
//             other manager owns:                   {paused: true, minReadySeconds: 5}
//   conflict  a field that differs between live and pruned and is owned by another manager
//
// Each owner's fields are pruned and compared in the version in which the owner wrote.

export interface Applier {
  manager: string;
  subresource: string;
  apiVersion: string;
  /** The time as text, to the second. */
  time: string;
  force: boolean;
}

export interface ApplyInput {
  /** The stored object in the served form, without managedFields; undefined for a create. */
  live: JsonObject | undefined;
  /** The applied object, whose field types have been checked. */
  applied: JsonObject;
  /** The owners of the fields of `live`. */
  entries: readonly ManagedFieldsEntry[];
  /** The versions of the kind. All objects here are in the version of the applier. */
  versions: FieldVersions;
  /**
   * Fields that this endpoint ignores, so they do not get an owner: the status, for the object
   * itself.
   */
  resets: FieldSet;
}

export type ApplyPlan =
  | { outcome: "conflict"; conflicts: readonly FieldConflict[] }
  | { outcome: "applied"; object: JsonObject; managedFields: ManagedFieldsEntry[] };

/** Plans the object and its field owners after a manager applies its part of the object. */
export function planApply(input: ApplyInput, applier: Applier): ApplyPlan {
  const { live, applied, versions, resets } = input;
  const type = versions.typeOf(applier.apiVersion) as FieldType;
  const entries = input.entries.length > 0 || live === undefined ? input.entries : firstEntries(input, applier);
  const set = withoutBranches(appliedFields(tracked(applied), type), resets);
  // An applier is identified by name and subresource, without the version; upstream uses the last
  // entry.
  const last = entries.findLast((entry) => isAppliers(entry, applier));
  const others = entries.filter((entry) => !isAppliers(entry, applier));
  const own: ManagedFieldsEntry[] = isEmptySet(set) ? [] : [entryOf(applier, set, last?.time)];
  const merged = mergeApplied(live, applied, type) as JsonObject;
  const pruned = pruneUnapplied(
    merged,
    { last, owners: [...own, ...others] },
    { versions, apiVersion: applier.apiVersion },
  );
  // Null still counts here: a manager who applied a field as empty still owns it when all parts of
  // the field were removed.
  const changesIn = changesByVersion({ before: live ?? {}, after: pruned }, versions, resets);
  const known = others.flatMap((entry) => {
    const changes = changesIn(entry.apiVersion ?? "");
    // Upstream drops owners whose version the kind no longer has.
    return changes === undefined ? [] : [{ entry, changes }];
  });
  const conflicts = applier.force ? [] : refusedConflicts(conflictsOf(known), input, applier);
  if (conflicts.length > 0) return { outcome: "conflict", conflicts };
  const { changed, removed } = changesIn(applier.apiVersion) ?? { changed: {}, removed: {} };
  const isSame = isEmptySet(changed) && isEmptySet(removed);
  // Upstream does not record a time for the owners of fields that existed before.
  const timed = isSame ? own : isEmptySet(set) ? [] : [entryOf(applier, set, applier.time)];
  const object = withoutNulls(pruned) as JsonObject;
  return { outcome: "applied", object, managedFields: inOrder([...timed, ...known.flatMap(losing)]) };
}

/** The object has no recorded managers yet, so its fields were not set by apply. */
function firstEntries({ live, versions, resets }: ApplyInput, applier: Applier): ManagedFieldsEntry[] {
  const type = versions.typeOf(applier.apiVersion) as FieldType;
  const fieldsV1 = withoutBranches(fieldsOf(tracked(live ?? {}), type), resets);
  const entry = entryOf({ ...applier, manager: "before-first-apply" }, fieldsV1, applier.time);
  return isEmptySet(fieldsV1) ? [] : [{ ...entry, operation: "Update" }];
}

function isAppliers(entry: ManagedFieldsEntry, applier: Applier): boolean {
  return (
    entry.operation === "Apply" &&
    entry.manager === applier.manager &&
    (entry.subresource ?? "") === applier.subresource
  );
}

function entryOf(applier: Applier, fieldsV1: FieldSet, time: string | undefined): ManagedFieldsEntry {
  const { manager, apiVersion, subresource } = applier;
  return {
    manager,
    operation: "Apply",
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource === "" ? {} : { subresource }),
  };
}

/** Fields that client-side `kubectl apply` set belong to kubectl under any manager's name. */
function refusedConflicts(
  conflicts: readonly FieldConflict[],
  { live, versions }: ApplyInput,
  { manager, apiVersion }: Applier,
): readonly FieldConflict[] {
  if (conflicts.length === 0 || manager !== "kubectl") return conflicts;
  const allowed = allowedByLastApplied(live ?? {}, versions.typeOf(apiVersion) as FieldType, apiVersion);
  return conflicts.filter(({ path }) => !allowed.has(path));
}

function losing({ entry, changes }: { entry: ManagedFieldsEntry; changes: FieldChanges }): ManagedFieldsEntry[] {
  const fields = (entry.fieldsV1 ?? {}) as FieldSet;
  const kept = without(without(fields, intersection(fields, changes.changed)), changes.removed);
  return isEmptySet(kept) ? [] : [{ ...entry, fieldsV1: kept }];
}

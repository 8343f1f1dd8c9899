import { type ManagedFieldsEntry, withoutNulls } from "@kintsugi/api";
import { compareFields, type FieldChanges } from "../fields/compare-fields.ts";
import { inOrder } from "../fields/entries.ts";
import { addAll, type FieldSet, type FieldType, fieldsOf, isEmptySet, without } from "../fields/field-set.ts";
import { tracked } from "../fields/managed-fields.ts";
import { intersection, withoutBranches } from "../fields/set-algebra.ts";
import type { JsonObject } from "../json.ts";
import { appliedFields } from "./applied-fields.ts";
import { conflictsOf, type FieldConflict } from "./field-conflict.ts";
import { allowedByLastApplied } from "./last-applied.ts";
import { mergeApplied } from "./merge-applied.ts";
import { prune } from "./prune.ts";

// Applying, drawn once:
//
//   live      {spec: {replicas: 3, paused: true}}   one (Apply) owns replicas, two (Update) paused
//   applied   {spec: {minReadySeconds: 5}}          by one
//   merged    live and applied together:            {replicas: 3, paused: true, minReadySeconds: 5}
//   pruned    without the fields that one applied
//             last time, leaves out now, and no
//             other manager owns:                   {paused: true, minReadySeconds: 5}
//   conflict  a field that differs between live and pruned and is owned by another manager

export interface Applier {
  manager: string;
  subresource: string;
  apiVersion: string;
  /** The time as text, to the second. */
  time: string;
  force: boolean;
}

export interface ApplyInput {
  /**
   * The stored object, in the form that is served, without managedFields; undefined where there is
   * none.
   */
  live: JsonObject | undefined;
  /** The applied object, whose types are right. */
  applied: JsonObject;
  /** The owners of the fields of `live`. */
  entries: readonly ManagedFieldsEntry[];
  type: FieldType;
  /**
   * Fields that this endpoint does not take, so they get no owner: the status, for the object
   * itself.
   */
  resets: FieldSet;
}

export type ApplyPlan =
  | { outcome: "conflict"; conflicts: readonly FieldConflict[] }
  | { outcome: "applied"; object: JsonObject; managedFields: ManagedFieldsEntry[] };

/** Plans the object, and the owners of its fields, after a manager applies its part of it. */
export function planApply(input: ApplyInput, applier: Applier): ApplyPlan {
  const { live, applied, type, resets } = input;
  const entries = input.entries.length > 0 || live === undefined ? input.entries : firstEntries(input, applier);
  const set = withoutBranches(appliedFields(tracked(applied), type), resets);
  const last = entries.find((entry) => isAppliers(entry, applier));
  const others = entries.filter((entry) => entry !== last);
  const merged = mergeApplied(live, applied, type) as JsonObject;
  const pruned = prune(merged, { last: fieldsIn(last), owned: unionOf([set, ...others.map(fieldsIn)]) }, type);
  // Null still counts here: when all parts of a field went, a manager who applied it as empty still
  // owns it.
  const changes = changesOf({ ...input, live: live ?? {} }, pruned);
  const conflicts = applier.force ? [] : refusedConflicts(conflictsOf(others, changes.changed), input, applier);
  if (conflicts.length > 0) return { outcome: "conflict", conflicts };
  const isSame = isEmptySet(changes.changed) && isEmptySet(changes.removed);
  // Upstream records no time for the owners of fields that were there already.
  const time = isSame ? last?.time : applier.time;
  const own: ManagedFieldsEntry[] = isEmptySet(set) ? [] : [entryOf(applier, set, time)];
  const object = withoutNulls(pruned) as JsonObject;
  return { outcome: "applied", object, managedFields: inOrder([...own, ...losing(others, changes)]) };
}

/** The object has no recorded managers yet, so its fields were set by other means than applying. */
function firstEntries({ live, type, resets }: ApplyInput, applier: Applier): ManagedFieldsEntry[] {
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

function fieldsIn(entry: ManagedFieldsEntry | undefined): FieldSet {
  return (entry?.fieldsV1 ?? {}) as FieldSet;
}

function unionOf(sets: readonly FieldSet[]): FieldSet {
  const union: FieldSet = {};
  for (const set of sets) addAll(union, set);
  return union;
}

function changesOf({ live, type, resets }: ApplyInput & { live: JsonObject }, pruned: JsonObject): FieldChanges {
  const { changed, removed } = compareFields(tracked(live), tracked(pruned), type);
  return { changed: withoutBranches(changed, resets), removed: withoutBranches(removed, resets) };
}

/** Fields that `kubectl apply` set on the client are its own, under any manager's name. */
function refusedConflicts(
  conflicts: readonly FieldConflict[],
  { live, type }: ApplyInput,
  { manager, apiVersion }: Applier,
): readonly FieldConflict[] {
  if (conflicts.length === 0 || manager !== "kubectl") return conflicts;
  const allowed = allowedByLastApplied(live ?? {}, type, apiVersion);
  return conflicts.filter(({ path }) => !allowed.has(path));
}

function losing(entries: readonly ManagedFieldsEntry[], changes: FieldChanges): ManagedFieldsEntry[] {
  return entries.flatMap((entry) => {
    const fields = fieldsIn(entry);
    const kept = without(without(fields, intersection(fields, changes.changed)), changes.removed);
    return isEmptySet(kept) ? [] : [{ ...entry, fieldsV1: kept }];
  });
}

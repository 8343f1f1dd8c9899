import type { ManagedFieldsEntry } from "@kintsugi/api";
import { inOrder } from "../fields/managed-entries.ts";
import { type FieldSet, isEmptySet, without } from "../fields/field-set.ts";
import { hasPath } from "../fields/set-algebra.ts";

/** The replicas, in an object and in its scale. */
const replicas: FieldSet = { "f:spec": { "f:replicas": {} } };

/** Returns the owners of the replicas field, as the entries of a scale. */
export function toScaleEntries(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  return entries.filter(ownsReplicas).map((entry) => ({ ...entry, fieldsV1: replicas }));
}

/**
 * The entries of an object after its scale's entries became `scaleEntries`. A manager that no
 * longer owns the replicas loses them, and a manager that now owns them gets a separate entry, to
 * which upstream assigns no time.
 */
export function toParentEntries(
  parent: readonly ManagedFieldsEntry[],
  scaleEntries: readonly ManagedFieldsEntry[],
  apiVersion: string,
): ManagedFieldsEntry[] {
  const kept = parent.flatMap((entry) => {
    if (!ownsReplicas(entry) || scaleEntries.some((other) => isSame(other, entry))) return [entry];
    const fieldsV1 = without((entry.fieldsV1 ?? {}) as FieldSet, replicas);
    return isEmptySet(fieldsV1) ? [] : [{ ...entry, fieldsV1 }];
  });
  const added = scaleEntries.flatMap((entry) => {
    if (!ownsReplicas(entry) || parent.some((other) => ownsReplicas(other) && isSame(other, entry))) return [];
    const { time: _, ...rest } = entry;
    return [{ ...rest, apiVersion, fieldsV1: replicas }];
  });
  return inOrder([...kept, ...added]);
}

function ownsReplicas({ fieldsV1 }: ManagedFieldsEntry): boolean {
  return hasPath((fieldsV1 ?? {}) as FieldSet, ["f:spec", "f:replicas"]);
}

function isSame(a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean {
  return a.manager === b.manager && a.operation === b.operation && (a.subresource ?? "") === (b.subresource ?? "");
}

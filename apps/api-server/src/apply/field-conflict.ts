import { type ApiError, applyConflict, type ManagedFieldsEntry } from "@kintsugi/api";
import type { FieldChanges } from "../fields/compare-fields.ts";
import type { FieldSet } from "../fields/field-set.ts";
import { intersection, pathsOf } from "../fields/set-algebra.ts";

/** A field that an apply would take over from its owner. */
export interface FieldConflict {
  /**
   * The owner of the field, as upstream writes it: `"kubectl" with subresource "scale" using
   * apps/v1`.
   */
  owner: string;
  /** `.spec.replicas`. */
  path: string;
}

/**
 * @param owners the entries of other managers, each with the changes in the version of that entry.
 */
export function conflictsOf(
  owners: readonly { entry: ManagedFieldsEntry; changes: Pick<FieldChanges, "changed"> }[],
): FieldConflict[] {
  const sorted = owners.toSorted((a, b) => (identityOf(a.entry) < identityOf(b.entry) ? -1 : 1));
  return sorted.flatMap(({ entry, changes: { changed } }) =>
    pathsOf(intersection((entry.fieldsV1 ?? {}) as FieldSet, changed)).map((path) => ({ owner: ownerOf(entry), path })),
  );
}

/** Upstream sorts managers by their identity, written as JSON. */
function identityOf({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  return JSON.stringify({ manager, operation, ...(operation === "Apply" ? {} : { apiVersion }), subresource });
}

function ownerOf({ manager = "", operation, apiVersion = "", subresource = "" }: ManagedFieldsEntry): string {
  const name = JSON.stringify(manager) + (subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}

/** The rejection of an apply, in upstream's words. */
export function conflictError(conflicts: readonly FieldConflict[]): ApiError {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${owner}`,
    field: path,
  }));
  return applyConflict(causes, messageOf(conflicts));
}

function messageOf(conflicts: readonly FieldConflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${first.owner}: ${first.path}`;
  }
  const owners = [...new Set(conflicts.map(({ owner }) => owner))];
  const lines = owners.flatMap((owner) => [
    `conflicts with ${owner}:`,
    ...conflicts.filter((conflict) => conflict.owner === owner).map(({ path }) => `- ${path}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

import { invalid, type ManagedFieldsEntry, type ResourceType, sameJson, type ValidationIssue } from "@kintsugi/api";
import { fieldInvalid } from "../http/refusals.ts";
import { fieldManagerIssues } from "../request/field-manager.ts";
import type { KubeObject } from "../resources/resource.ts";
import { addAll, type FieldSet } from "./field-set.ts";
import { isFieldSet } from "./set-algebra.ts";

/** The form, order and number of the entries of metadata.managedFields, without their fields. */

/**
 * Returns the owners before a write: the stored entries, unless a write of the object itself sends
 * other entries. An empty list, or one empty entry, removes all managers. Invalid entries count as
 * absent.
 * @throws ApiError Invalid
 */
export function entriesBefore(
  type: ResourceType,
  objects: { before: KubeObject; after: KubeObject },
  subresource: string,
): readonly ManagedFieldsEntry[] {
  const stored = objects.before.metadata.managedFields ?? [];
  const sent = objects.after.metadata.managedFields;
  // Nearly all clients send back the entries that they read.
  if (sent === undefined || subresource !== "" || sameJson(sent, stored)) return stored;
  if (sent.length === 0 || (sent.length === 1 && Object.keys(sent[0] ?? {}).length === 0)) return [];
  assertEntries(type, objects.after.metadata.name ?? "", sent);
  return sent.every(isUnderstood) ? sent : stored;
}

function isUnderstood(entry: ManagedFieldsEntry): boolean {
  return faultOf(entry, 0) === undefined;
}

/** Returns the first fault of invalid entries, in upstream's words. */
export function faultOfEntries(entries: readonly ManagedFieldsEntry[]): string | undefined {
  for (const [index, entry] of entries.entries()) {
    const fault = faultOf(entry, index);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(entry: ManagedFieldsEntry, index: number): string | undefined {
  const { apiVersion = "", operation, fieldsType = "", fieldsV1 = {} } = entry;
  if (operation !== "Apply" && operation !== "Update") return "operation must be `Apply` or `Update`";
  if (apiVersion === "") return "apiVersion must not be empty";
  if (fieldsType === "") return `missing fieldsType in managed fields entry ${index}`;
  if (fieldsType !== "FieldsV1") {
    return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`;
  }
  return isFieldSet(fieldsV1) ? undefined : `error decoding versioned set from managed fields entry ${index}`;
}

/** Upstream's limit. */
const subresourceBytesMax = 256;

function assertEntries(type: ResourceType, name: string, entries: readonly ManagedFieldsEntry[]): void {
  const issues = entries.flatMap((entry, index) => issuesOf(entry, `metadata.managedFields[${index}]`));
  if (issues.length > 0) throw invalid(type, name, issues);
}

function issuesOf(entry: ManagedFieldsEntry, at: string): ValidationIssue[] {
  const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
  const issues: ValidationIssue[] = [];
  if (operation !== "Apply" && operation !== "Update") {
    issues.push(fieldInvalid(`${at}.operation`, operation, "must be `Apply` or `Update`"));
  }
  if (fieldsType !== "" && fieldsType !== "FieldsV1") {
    issues.push(fieldInvalid(`${at}.fieldsType`, fieldsType, "must be `FieldsV1`"));
  }
  issues.push(...fieldManagerIssues(manager, `${at}.manager`));
  if (Buffer.byteLength(subresource) > subresourceBytesMax) {
    const message = `Too long: may not be more than ${subresourceBytesMax} bytes`;
    issues.push({ field: `${at}.subresource`, reason: "FieldValueTooLong", message });
  }
  return issues;
}

/**
 * Sorts in upstream's order: appliers first, then by age, the oldest first. All times have the same
 * format, so their strings sort correctly.
 */
export function inOrder(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  return entries.toSorted(
    (a, b) =>
      compare(a.operation, b.operation) ||
      compare(a.time, b.time) ||
      compare(a.manager, b.manager) ||
      compare(a.apiVersion, b.apiVersion) ||
      compare(a.subresource, b.subresource),
  );
}

function compare(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The number of updaters that upstream keeps separate. The oldest updaters beyond this limit are
 * merged under one name.
 */
const updatersMax = 10;
const ancientManager = "ancient-changes";

/**
 * `entries`, in order, with the number of updaters limited. Only updaters of the same version are
 * merged.
 */
export function withFewUpdaters(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const updaters = entries.filter(({ operation }) => operation === "Update");
  const isAncient = ({ manager }: ManagedFieldsEntry): boolean => manager === ancientManager;
  const oldestFirst = [...updaters.filter(isAncient), ...updaters.filter((entry) => !isAncient(entry))];
  let tooMany = updaters.length - updatersMax;
  if (tooMany <= 0) return entries;
  const buckets = new Map<string, { entry: ManagedFieldsEntry; isMerged: boolean }>();
  const gone = new Set<ManagedFieldsEntry>();
  for (const entry of oldestFirst) {
    if (tooMany <= 0) break;
    const { apiVersion = "" } = entry;
    const bucket = buckets.get(apiVersion);
    if (bucket === undefined) {
      buckets.set(apiVersion, { entry, isMerged: false });
      continue;
    }
    gone.add(entry).add(bucket.entry);
    buckets.set(apiVersion, { entry: mergeInto(bucket.entry, entry), isMerged: true });
    tooMany--;
  }
  const merged = [...buckets.values()].flatMap(({ entry, isMerged }) => (isMerged ? [entry] : []));
  return inOrder([...merged, ...entries.filter((entry) => !gone.has(entry))]);
}

/** The merged entry has the time of the newer entry. */
function mergeInto(older: ManagedFieldsEntry, newer: ManagedFieldsEntry): ManagedFieldsEntry {
  const fieldsV1: FieldSet = {};
  addAll(fieldsV1, (older.fieldsV1 ?? {}) as FieldSet);
  addAll(fieldsV1, (newer.fieldsV1 ?? {}) as FieldSet);
  const { subresource: _, ...rest } = newer;
  return { ...rest, manager: ancientManager, fieldsV1 };
}

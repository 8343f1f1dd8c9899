import type { ManagedFieldsEntry } from "@kintsugi/api";
import { apiVersionOf } from "@kintsugi/api";
import type { JsonObject } from "../json.ts";
import type { TypeDescription } from "@kintsugi/api";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { compareFields } from "./compare-fields.ts";
import { addAll, type FieldSet, fieldsOf, isEmptySet, without } from "./field-set.ts";

export interface FieldWriter {
  /** Who writes: the `fieldManager` of the request, or the client program's name. */
  manager: string;
  subresource: string;
  /** As text, to the second. */
  time: string;
}

/**
 * metadata.managedFields after `writer` made `after` out of `before`: the writer owns what it added or modified, the others
 * lose that, and everybody loses what was removed.
 */
export function planManagedFields(
  resource: Resource,
  objects: { before: KubeObject | undefined; after: KubeObject },
  writer: FieldWriter,
): ManagedFieldsEntry[] | undefined {
  const { before, after } = objects;
  const type = { type: resource.description };
  const own = tracked(after);
  const { changed, removed } =
    before === undefined
      ? { changed: ownedAtCreation(own, resource.description), removed: {} }
      : compareFields(tracked(before), own, type);
  const entries = before?.metadata.managedFields ?? [];
  if (isEmptySet(changed) && isEmptySet(removed)) return keepOrUndefined(entries);
  return keepOrUndefined(assign(entries, { changed, removed }, { apiVersion: apiVersionOf(resource.type), ...writer }));
}

function ownedAtCreation(object: JsonObject, description: TypeDescription): FieldSet {
  return fieldsOf(object, { type: description });
}

function keepOrUndefined(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] | undefined {
  return entries.length === 0 ? undefined : entries;
}

interface Changes {
  changed: FieldSet;
  removed: FieldSet;
}

/** Upstream keeps this many updaters apart; the oldest beyond are merged under one name. */
const updatersMax = 10;
const ancientManager = "ancient-changes";

function assign(
  entries: readonly ManagedFieldsEntry[],
  changes: Changes,
  writer: FieldWriter & { apiVersion: string },
): ManagedFieldsEntry[] {
  const lost: FieldSet = {};
  addAll(lost, changes.removed);
  addAll(lost, changes.changed);
  const result: ManagedFieldsEntry[] = [];
  let ownFields: FieldSet = changes.changed;
  for (const entry of entries) {
    const fields = (entry.fieldsV1 ?? {}) as FieldSet;
    if (isWriters(entry, writer)) {
      ownFields = without(fields, changes.removed);
      addAll(ownFields, changes.changed);
    } else {
      const rest = without(fields, lost);
      if (!isEmptySet(rest)) result.push({ ...entry, fieldsV1: rest });
    }
  }
  if (!isEmptySet(ownFields)) result.push(newEntry(writer, ownFields));
  return capUpdaters(result);
}

function isWriters(entry: ManagedFieldsEntry, writer: FieldWriter & { apiVersion: string }): boolean {
  return (
    entry.operation === "Update" &&
    entry.manager === writer.manager &&
    entry.apiVersion === writer.apiVersion &&
    (entry.subresource ?? "") === writer.subresource
  );
}

function newEntry(writer: FieldWriter & { apiVersion: string }, fieldsV1: FieldSet): ManagedFieldsEntry {
  return {
    manager: writer.manager,
    operation: "Update",
    apiVersion: writer.apiVersion,
    time: writer.time,
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(writer.subresource === "" ? {} : { subresource: writer.subresource }),
  };
}

function capUpdaters(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const updaters = entries.filter((entry) => entry.operation === "Update" && (entry.subresource ?? "") === "");
  if (updaters.length <= updatersMax) return entries;
  const oldest = updaters.slice(0, updaters.length - updatersMax + 1);
  const fieldsV1: FieldSet = {};
  for (const entry of oldest) addAll(fieldsV1, (entry.fieldsV1 ?? {}) as FieldSet);
  const [first] = oldest;
  const merged: ManagedFieldsEntry = { ...first, manager: ancientManager, fieldsV1 };
  return [merged, ...entries.filter((entry) => !oldest.includes(entry))];
}

/** The object without what nobody owns: its identity and what the server keeps itself. */
function tracked(object: KubeObject): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  const { labels, annotations, generateName, ownerReferences, finalizers } = metadata;
  const owned: Partial<KubeObject["metadata"]> = {};
  if (labels !== undefined) owned.labels = labels;
  if (annotations !== undefined) owned.annotations = annotations;
  if (generateName !== undefined) owned.generateName = generateName;
  if (ownerReferences !== undefined) owned.ownerReferences = ownerReferences;
  if (finalizers !== undefined) owned.finalizers = finalizers;
  const kept = Object.keys(owned).length === 0 ? {} : { metadata: owned };
  return Object.assign(kept, rest) as unknown as JsonObject;
}

import { apiVersionOf, type ManagedFieldsEntry } from "@kintsugi/api";
import type { JsonObject } from "../json.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { compareFields, type FieldChanges } from "./compare-fields.ts";
import { entriesBefore, inOrder, withFewUpdaters } from "./entries.ts";
import { addAll, type FieldSet, fieldsOf, isEmptySet, without } from "./field-set.ts";

export interface FieldWriter {
  /** The name of the writer: the `fieldManager` of the request, or the client program's name. */
  manager: string;
  subresource: string;
  /** The time as text, to the second; undefined through a subresource whose entries have none. */
  time: string | undefined;
}

/**
 * Returns metadata.managedFields after `writer` made `after` out of `before`, other than by
 * applying: the writer owns the fields that it added or modified, the others lose those, and all
 * managers lose removed fields. An object whose managers were all forgotten stays without any,
 * until a manager applies it.
 * @throws ApiError Invalid
 */
export function planManagedFields(
  resource: Resource,
  objects: { before: KubeObject | undefined; after: KubeObject },
  writer: FieldWriter,
): ManagedFieldsEntry[] | undefined {
  const { before, after } = objects;
  const type = { type: resource.description };
  const version = apiVersionOf(resource.type);
  const own = tracked(after as unknown as JsonObject);
  if (before === undefined) {
    const changes = { changed: fieldsOf(own, type), removed: {} };
    return isEmptySet(changes.changed) ? undefined : assign([], changes, { apiVersion: version, ...writer });
  }
  const entries = entriesBefore(resource.type, { before, after }, writer.subresource);
  if (entries.length === 0) return undefined;
  const changes = compareFields(tracked(before as unknown as JsonObject), own, type);
  if (isEmptySet(changes.changed) && isEmptySet(changes.removed)) return [...entries];
  const assigned = assign(entries, changes, { apiVersion: version, ...writer });
  return assigned.length === 0 ? undefined : assigned;
}

type VersionedWriter = FieldWriter & { apiVersion: string };

function assign(
  entries: readonly ManagedFieldsEntry[],
  { changed, removed }: FieldChanges,
  writer: VersionedWriter,
): ManagedFieldsEntry[] {
  const lost: FieldSet = {};
  addAll(lost, removed);
  addAll(lost, changed);
  const result: ManagedFieldsEntry[] = [];
  // A writer that only removes fields has set none.
  const setsSomething = !isEmptySet(changed);
  let ownFields: FieldSet = changed;
  for (const entry of entries) {
    const fields = (entry.fieldsV1 ?? {}) as FieldSet;
    if (setsSomething && isWriters(entry, writer)) {
      ownFields = without(fields, removed);
      addAll(ownFields, changed);
    } else {
      const rest = without(fields, lost);
      if (!isEmptySet(rest)) result.push({ ...entry, fieldsV1: rest });
    }
  }
  if (setsSomething) result.push(newEntry(writer, ownFields));
  return withFewUpdaters(inOrder(result));
}

function isWriters(entry: ManagedFieldsEntry, writer: VersionedWriter): boolean {
  return (
    entry.operation === "Update" &&
    entry.manager === writer.manager &&
    entry.apiVersion === writer.apiVersion &&
    (entry.subresource ?? "") === writer.subresource
  );
}

function newEntry(writer: VersionedWriter, fieldsV1: FieldSet): ManagedFieldsEntry {
  return {
    manager: writer.manager,
    operation: "Update",
    apiVersion: writer.apiVersion,
    ...(writer.time === undefined ? {} : { time: writer.time }),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(writer.subresource === "" ? {} : { subresource: writer.subresource }),
  };
}

/**
 * Returns the object without the fields that never have an owner: its identity and the server's own
 * metadata.
 */
export function tracked(object: JsonObject): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  if (typeof metadata !== "object" || metadata === null) return rest;
  const owned: JsonObject = {};
  for (const field of ownedMetadata) {
    const value = (metadata as JsonObject)[field];
    if (value !== undefined) owned[field] = value;
  }
  return Object.keys(owned).length === 0 ? rest : { metadata: owned, ...rest };
}

/** Returns what is left of the tracked part of `object`, with the fields that never have an owner. */
export function withUntracked(left: JsonObject, object: JsonObject): JsonObject {
  const { apiVersion, kind, metadata } = object;
  const owned = (left["metadata"] ?? {}) as JsonObject;
  const whole: JsonObject = { ...(apiVersion !== undefined && { apiVersion }), ...(kind !== undefined && { kind }) };
  if (typeof metadata !== "object" || metadata === null) return { ...whole, ...left };
  const identity: JsonObject = { ...(metadata as JsonObject) };
  for (const field of ownedMetadata) delete identity[field];
  return { ...whole, ...left, metadata: { ...identity, ...owned } };
}

const ownedMetadata = ["labels", "annotations", "generateName", "ownerReferences", "finalizers"] as const;

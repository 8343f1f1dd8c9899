import { apiVersionOf, type JsonObject, type ManagedFieldsEntry, type ResourceType } from "@kintsugi/api";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { entriesBefore, inOrder, withFewUpdaters } from "./managed-entries.ts";
import { addAll, type FieldSet, fieldsOf, isEmptySet, without } from "./field-set.ts";
import { changesByVersion, type FieldVersions } from "./field-versions.ts";
import { tracked } from "./tracked-fields.ts";

export interface FieldWriter {
  /** The name of the writer: the `fieldManager` of the request, or the client program's name. */
  manager: string;
  subresource: string;
  /**
   * The time as text, to the second; undefined for a write through a subresource whose entries have
   * no time.
   */
  time: string | undefined;
}

/** An update as its client sent it, in the version of the request. */
export interface OwnedUpdate {
  type: ResourceType;
  before: KubeObject;
  after: KubeObject;
  versions: FieldVersions;
  /** Fields that this endpoint ignores, so they do not get an owner. */
  resets: FieldSet;
}

/** Returns metadata.managedFields of a new object, which its writer owns completely. */
export function fieldsOfNew(
  resource: Pick<Resource, "type" | "description">,
  object: KubeObject,
  writer: FieldWriter,
): ManagedFieldsEntry[] | undefined {
  const fieldsV1 = fieldsOf(tracked(object as unknown as JsonObject), { type: resource.description });
  return isEmptySet(fieldsV1)
    ? undefined
    : [newEntry({ apiVersion: apiVersionOf(resource.type), ...writer }, fieldsV1)];
}

/**
 * Returns metadata.managedFields after `writer` made `after` out of `before` by an update. The
 * writer owns the fields that it added or modified, the other managers no longer own them, and
 * removed fields have no owner. An object whose managers were all removed has no managers until a
 * manager applies it.
 * @throws ApiError Invalid
 */
export function planManagedFields(
  { type, before, after, versions, resets }: OwnedUpdate,
  writer: FieldWriter,
): ManagedFieldsEntry[] | undefined {
  const entries = entriesBefore(type, { before, after }, writer.subresource);
  if (entries.length === 0) return undefined;
  const changesIn = changesByVersion(
    { before: before as unknown as JsonObject, after: after as unknown as JsonObject },
    versions,
    resets,
  );
  const assigned = assign(entries, changesIn, { apiVersion: apiVersionOf(type), ...writer });
  return assigned.length === 0 ? undefined : assigned;
}

type VersionedWriter = FieldWriter & { apiVersion: string };

function assign(
  entries: readonly ManagedFieldsEntry[],
  changesIn: ReturnType<typeof changesByVersion>,
  writer: VersionedWriter,
): ManagedFieldsEntry[] {
  const own = changesIn(writer.apiVersion) ?? { changed: {}, removed: {} };
  if (isEmptySet(own.changed) && isEmptySet(own.removed)) return [...entries];
  const result: ManagedFieldsEntry[] = [];
  // A writer that only removes fields does not become the owner of a field.
  const setsSomething = !isEmptySet(own.changed);
  let ownFields: FieldSet = own.changed;
  for (const entry of entries) {
    const fields = (entry.fieldsV1 ?? {}) as FieldSet;
    if (setsSomething && isWriters(entry, writer)) {
      ownFields = without(fields, own.removed);
      addAll(ownFields, own.changed);
      continue;
    }
    const changes = changesIn(entry.apiVersion ?? "");
    // Upstream drops owners whose version the kind no longer has.
    if (changes === undefined) continue;
    const rest = without(without(fields, changes.removed), changes.changed);
    if (!isEmptySet(rest)) result.push({ ...entry, fieldsV1: rest });
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

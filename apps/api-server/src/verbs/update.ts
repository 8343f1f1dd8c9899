import {
  applyDefaults,
  badRequest,
  conflict,
  formatTimestamp,
  invalid,
  type ManagedFieldsEntry,
  notFound,
  preconditionFailed,
  sameJson,
  sameJsonExcept,
  validateUpdate,
} from "@kintsugi/api";
import type { Entry, StoreReader } from "@kintsugi/store";
import { planManagedFields } from "../fields/managed-fields.ts";
import type { ApiResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { storedResource } from "../resources/view.ts";
import type { ServerContext } from "../server-context.ts";
import { commit, type Decision, prepareContext } from "../writes/commit.ts";
import { decodeBody, placeInNamespace, prepareNew } from "./create.ts";
import { assertMayCreate } from "../writes/may-create.ts";
import { assertNamespaceActive } from "../writes/namespace-active.ts";
import { entryResponse } from "../answers/object-response.ts";
import { assertMayGrow } from "../resources/object-size.ts";
import { keepSystemMetadata } from "../writes/system-metadata.ts";

/** PUT of an object or of one of its subresources that have the object's own kind (status, resize…). */
export async function update(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { info } = call;
  const options = readWriteOptions(call.request, info);
  const sent = decodeBody(context, call, options);
  placeInNamespace(call, sent);
  if ((sent.metadata.name ?? "") === "") sent.metadata.name = info.name;
  if (sent.metadata.name !== info.name) {
    throw badRequest(
      `the name of the object (${sent.metadata.name}) does not match the name on the URL (${info.name})`,
    );
  }
  const resource = storedResource(call.resource);
  const { entry, result } = await commit(
    context,
    {
      key: storeKey(resource.type, info.namespace, info.name),
      resource,
      dryRun: options.dryRun,
      important: resource.kind.exceptions.keepsAlive === true,
    },
    (current, reader) =>
      current === undefined
        ? decideCreateOnUpdate(context, { call, options, sent, reader })
        : decideUpdate(context, { call, options, current, reader }, () => sent),
  );
  if (entry === undefined) throw notFound(resource.type, info.name);
  return entryResponse(context, call, { status: result.created ? 201 : 200, entry });
}

interface SentUpdate {
  call: ResourceCall;
  options: WriteOptions;
  sent: KubeObject;
  reader: StoreReader;
}

function decideCreateOnUpdate(context: ServerContext, input: SentUpdate): Decision<{ created: boolean }> {
  const { call, options, sent, reader } = input;
  const resource = storedResource(call.resource);
  const { name, namespace } = call.info;
  if (resource.kind.strategy.createOnUpdate !== true || call.info.subresource !== "")
    throw notFound(resource.type, name);
  if ((sent.metadata.uid ?? "") !== "") {
    throw preconditionFailed(resource.type, name, { field: "UID", expected: sent.metadata.uid ?? "", actual: "" });
  }
  if ((sent.metadata.resourceVersion ?? "") !== "") throw notFound(resource.type, name);
  assertMayCreate(context, call);
  if (namespace !== "") assertNamespaceActive(reader, namespace, { type: resource.type, name });
  const object = prepareNew(context, { call, options, object: sent, reader });
  return { action: "put", object, result: { created: true } };
}

export interface CurrentUpdate {
  call: ResourceCall;
  options: WriteOptions;
  current: Entry;
  reader: StoreReader;
  /** Whether `next` says in managedFields who owns what; otherwise that follows from what the update changes. */
  saysOwners?: boolean;
}

/**
 * Decides an update of the stored object `current` to what `next` makes of it. Removing the last thing that held back a deleted
 * object deletes it. @throws ApiError
 */
export function decideUpdate(
  context: ServerContext,
  input: CurrentUpdate,
  next: (before: KubeObject) => KubeObject,
): Decision<{ created: boolean }> {
  const { call, options, current, reader } = input;
  const resource = storedResource(call.resource);
  const { subresource } = call.info;
  const before = decodeEntry(current);
  const object = next(before);
  assertMayGrow(object, before);
  const owners = input.saysOwners === true ? (object.metadata.managedFields ?? []) : undefined;
  checkPreconditions(resource, object, current);
  applyDefaults(resource.kind, object);
  keepSystemMetadata(object, before);
  keepOtherParts(resource, { object, before, subresource });
  resource.kind.strategy.prepareForUpdate?.(object, before, { ...prepareContext(context), subresource });
  const request = {
    operation: "update" as const,
    user: call.user,
    resource,
    subresource,
    namespace: call.info.namespace,
    name: call.info.name,
    object,
    before,
    reader,
  };
  context.admission.mutate(request);
  const issues = validateUpdate(resource.kind, { after: object, before, subresource });
  if (issues.length > 0) throw invalid(resource.type, call.info.name, issues);
  context.admission.validate(request);
  countGeneration(resource, object, before);
  if (owners === undefined) manageFields(context, { resource, object, before, options, subresource });
  else setOwners(object, before, owners);
  const result = { created: false };
  // The order of keys may differ from what is stored, so bytes do not tell.
  if (isUnchanged(object, before)) return { action: "keep", result };
  return isReleased(resource, object) ? { action: "delete", object, result } : { action: "put", object, result };
}

function checkPreconditions(resource: Resource, object: KubeObject, current: Entry): void {
  const { name = "", uid = "", resourceVersion = "" } = object.metadata;
  if (uid !== "" && uid !== current.index.uid) {
    throw preconditionFailed(resource.type, name, { field: "UID", expected: uid, actual: current.index.uid });
  }
  if (resourceVersion === "" || resourceVersion === "0") {
    // Kinds that only take conditional updates are refused by validation, for want of this.
    if (resource.kind.strategy.conditionalUpdateOnly !== true)
      object.metadata.resourceVersion = String(current.revision);
    return;
  }
  if (resourceVersion !== String(current.revision)) throw conflict(resource.type, name);
}

/** Spec and status are written through different doors: each write leaves the other's part as it was. */
function keepOtherParts(
  resource: Resource,
  change: { object: KubeObject; before: KubeObject; subresource: string },
): void {
  const { object, before, subresource } = change;
  if (resource.kind.strategy.status !== true) return;
  if (subresource !== "status") {
    if (before.status === undefined) delete object.status;
    else object.status = before.status;
    return;
  }
  const { status } = object;
  const { metadata } = object;
  const owners = before.metadata.ownerReferences;
  if (owners === undefined) delete metadata.ownerReferences;
  else metadata.ownerReferences = owners;
  Object.assign(object, before, { metadata, status });
  if (status === undefined) delete object.status;
}

function countGeneration(resource: Resource, object: KubeObject, before: KubeObject): void {
  if (resource.kind.strategy.generation !== true) return;
  if (!sameJson(object.spec, before.spec)) object.metadata.generation = (before.metadata.generation ?? 0) + 1;
}

function manageFields(
  context: ServerContext,
  change: { resource: Resource; object: KubeObject; before: KubeObject; options: WriteOptions; subresource: string },
): void {
  const { resource, object, before, options, subresource } = change;
  const timeless = resource.subresources.get(subresource)?.timelessOwners === true;
  const time = timeless ? undefined : formatTimestamp(context.clock.nowMs());
  const managedFields = planManagedFields(
    resource,
    { before, after: object },
    { manager: options.fieldManager, subresource, time },
  );
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}

/** Where nothing changes but the time at which somebody wrote, nothing changes: the time stays as it was. */
function setOwners(object: KubeObject, before: KubeObject, owners: readonly ManagedFieldsEntry[]): void {
  const { managedFields: _, ...metadata } = object.metadata;
  const old = before.metadata.managedFields ?? [];
  const timeless = (entries: readonly ManagedFieldsEntry[]) => entries.map(({ time: _time, ...entry }) => entry);
  object.metadata = { ...metadata, ...(old.length === 0 ? {} : { managedFields: old }) };
  if (sameJson(timeless(owners), timeless(old)) && isUnchanged(object, before)) return;
  object.metadata = { ...metadata, ...(owners.length === 0 ? {} : { managedFields: [...owners] }) };
}

/** The metadata last: with the record of who wrote what it takes longest, and most writes change something else. */
function isUnchanged(object: KubeObject, before: KubeObject): boolean {
  return (
    sameJsonExcept(object, before, "metadata") && sameJsonExcept(object.metadata, before.metadata, "resourceVersion")
  );
}

/** Whether an object that is being deleted has nothing left to wait for. */
export function isReleased(resource: Resource, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  return (
    deletionTimestamp !== undefined &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    (finalizers?.length ?? 0) === 0 &&
    resource.kind.strategy.heldBack?.(object) !== true
  );
}

import {
  applyDefaults,
  completeStatus,
  conflict,
  formatTimestamp,
  invalid,
  type ManagedFieldsEntry,
  preconditionFailed,
  sameJson,
  sameJsonExcept,
  validateUpdate,
} from "@kintsugi/api";
import type { Entry, StoreReader } from "@kintsugi/store";
import { requestedBy } from "../admission/requested-by.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import { resetFieldsOf } from "../apply/reset-fields.ts";
import type { FieldVersions } from "../fields/field-versions.ts";
import { planManagedFields } from "../fields/managed-fields.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { WriteOptions } from "../request/write-options.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { assertMayGrow } from "../resources/object-size.ts";
import { decodeStored, storedResource } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { addWarnings } from "./add-warnings.ts";
import { adoptObject } from "./adopt-object.ts";
import { type Decision, prepareContext } from "./commit.ts";
import type { PlannedWrite } from "./commit-admitted.ts";
import { expressionsChecked } from "./settle-in-turns.ts";
import { keepSystemMetadata } from "./system-metadata.ts";

export interface WantedUpdate {
  call: ResourceCall;
  options: WriteOptions;
  /** Makes the new object from the stored object. @throws ApiError */
  next: (before: KubeObject) => KubeObject;
  /**
   * True where `next` names the owners of its fields itself; otherwise they are derived from the
   * update's changes.
   */
  saysOwners?: boolean;
}

/**
 * An update of the stored object `current`. Removing the last finalizer of a deleted object deletes
 * it.
 */
export class ObjectUpdate implements PlannedWrite<{ created: boolean }> {
  request: AdmissionRequest;
  readonly #context: ServerContext;
  readonly #call: Pick<ResourceCall, "warnings">;
  readonly #before: KubeObject;

  /** @throws ApiError of a precondition, or of `next`. */
  constructor(
    context: ServerContext,
    { call, options, next, saysOwners }: WantedUpdate,
    { current, reader, versions }: { current: Entry; reader: Pick<StoreReader, "find">; versions: FieldVersions },
  ) {
    const resource = storedResource(call.resource);
    const before = decodeStored(resource, current);
    // A status that was stored incomplete is also completed by a patch.
    completeStatus(resource.type, before);
    const object = next(before);
    assertMayGrow(resource, object, before);
    this.#context = context;
    this.#call = call;
    this.#before = before;
    checkPreconditions(resource, object, current);
    applyDefaults(resource.kind, object);
    // Admission receives the owners, and fields that admission changes have no owner.
    if (saysOwners !== true) manageFields(context, { call, object, before, options, versions });
    this.request = {
      operation: "update",
      ...requestedBy(call),
      ...(call.isServers === true && { isServers: true }),
      resource,
      subresource: call.info.subresource,
      namespace: call.info.namespace,
      name: call.info.name,
      object,
      before,
      dryRun: options.dryRun,
      reader,
    };
  }

  adopt(object: KubeObject): KubeObject {
    return adoptObject(this.request, object);
  }

  /**
   * Restores the parts that this update cannot change, runs the kind's own preparation, and
   * validates.
   */
  settle(): void {
    const { resource, subresource, name } = this.request;
    const object = this.request.object as KubeObject;
    const before = this.#before;
    keepSystemMetadata(object, before);
    keepOtherParts(resource, { object, before, subresource });
    const update = { ...prepareContext(this.#context), subresource };
    resource.kind.strategy.prepareForUpdate?.(object, before, update);
    completeStatus(resource.type, object);
    const issues = [
      ...validateUpdate(resource.kind, { after: object, before, subresource }),
      ...(resource.kind.strategy.validateChanged?.(object, before, update) ?? []),
    ];
    if (issues.length > 0) throw invalid(resource.type, name, issues);
    if (subresource === "") addWarnings(this.#call, resource.kind.strategy.warnings?.(object, before));
  }

  expressions(): readonly string[] {
    const { object, resource, subresource } = this.request;
    const { strategy } = resource.kind;
    if (strategy.hasExpressions !== true) return [];
    return expressionsChecked(prepareContext(this.#context), (prepare) =>
      strategy.validateChanged?.(object as KubeObject, this.#before, { ...prepare, subresource }),
    );
  }

  decide(current: Entry | undefined, reader: StoreReader): Decision<{ created: boolean }> {
    const { resource } = this.request;
    this.#context.admission.judge(this.request, reader);
    const admitted = this.request.object as KubeObject;
    // A copy of all parts that the decision changes, because the decision may have to be made
    // again.
    const object = { ...admitted, metadata: { ...admitted.metadata } };
    const before = this.#before;
    countGeneration(resource, object, before);
    keepTimes(object, before);
    const result = { created: false };
    // The order of keys may differ from the stored order, so comparing bytes is not enough. A value
    // that is encrypted with an older key on the disk is written again (upstream's
    // GuaranteedUpdate).
    const isStale = current !== undefined && (current.stale === true || this.#context.isSealedOtherwise(current));
    if (isUnchanged(object, before) && !isStale) return { action: "keep", result };
    return isReleased(resource, object) ? { action: "delete", object, result } : { action: "put", object, result };
  }
}

function checkPreconditions(resource: Resource, object: KubeObject, current: Entry): void {
  const { name = "", uid = "", resourceVersion = "" } = object.metadata;
  if (uid !== "" && uid !== current.index.uid) {
    throw preconditionFailed(resource.type, name, { field: "UID", expected: uid, actual: current.index.uid });
  }
  if (resourceVersion === "" || resourceVersion === "0") {
    // Validation rejects the update of a kind that only accepts conditional updates, because the
    // resourceVersion is missing.
    if (resource.kind.strategy.conditionalUpdateOnly !== true)
      object.metadata.resourceVersion = String(current.revision);
    return;
  }
  if (resourceVersion !== String(current.revision)) throw conflict(resource.type, name);
}

/**
 * Spec and status are written through different endpoints, and each write leaves the other part
 * unchanged.
 */
function keepOtherParts(
  resource: Resource,
  change: { object: KubeObject; before: KubeObject; subresource: string },
): void {
  const { object, before, subresource } = change;
  resource.kind.strategy.keepOtherParts?.(object, before, subresource);
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
  // A kind whose schema is data may have fields other than spec and status.
  for (const key of Object.keys(object)) if (!Object.hasOwn(before, key)) delete object[key as keyof KubeObject];
  Object.assign(object, before, { metadata, status });
  if (status === undefined) delete object.status;
}

function countGeneration(resource: Resource, object: KubeObject, before: KubeObject): void {
  const { generation = false } = resource.kind.strategy;
  if (generation === false) return;
  if (!sameJson(countedPart(resource, object), countedPart(resource, before)))
    object.metadata.generation = (before.metadata.generation ?? 0) + 1;
}

/** The part of an object whose changes metadata.generation counts. */
function countedPart({ kind }: Resource, object: KubeObject): unknown {
  const { generation, status: hasStatus } = kind.strategy;
  if (generation !== "content") {
    return (object as unknown as Readonly<Record<string, unknown>>)[generation === "template" ? "template" : "spec"];
  }
  const { metadata: _metadata, status, ...content } = object;
  return hasStatus === true ? content : { ...content, status };
}

function manageFields(
  context: ServerContext,
  change: {
    call: ResourceCall;
    object: KubeObject;
    before: KubeObject;
    options: WriteOptions;
    versions: FieldVersions;
  },
): void {
  const { call, object, before, options, versions } = change;
  const { resource, info } = call;
  const { subresource } = info;
  const stored = storedResource(resource);
  const timeless = stored.subresources.get(subresource)?.timelessOwners === true;
  // The writer does not become the owner of a field that this endpoint leaves unchanged.
  const written = { ...object, metadata: { ...object.metadata } };
  keepOtherParts(stored, { object: written, before, subresource });
  const inVersion = (whole: KubeObject): KubeObject => resource.view?.fromStored(whole) ?? whole;
  const managedFields = planManagedFields(
    {
      type: resource.type,
      before: inVersion(before),
      after: inVersion(written),
      versions,
      resets: resetFieldsOf(stored, subresource),
    },
    {
      manager: options.fieldManager,
      subresource,
      time: timeless ? undefined : formatTimestamp(context.clock.nowMs()),
    },
  );
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}

/** A change of only the time of a write does not count as a change, so the time is unchanged. */
function keepTimes(object: KubeObject, before: KubeObject): void {
  const { managedFields: owners = [], ...metadata } = object.metadata;
  const old = before.metadata.managedFields ?? [];
  const timeless = (entries: readonly ManagedFieldsEntry[]) => entries.map(({ time: _time, ...entry }) => entry);
  object.metadata = { ...metadata, ...(old.length === 0 ? {} : { managedFields: old }) };
  if (sameJson(timeless(owners), timeless(old)) && isUnchanged(object, before)) return;
  object.metadata = { ...metadata, ...(owners.length === 0 ? {} : { managedFields: owners }) };
}

/**
 * Compares the metadata last, because with managedFields it takes longest and most writes change
 * another part.
 */
function isUnchanged(object: KubeObject, before: KubeObject): boolean {
  return (
    sameJsonExcept(object, before, "metadata") && sameJsonExcept(object.metadata, before.metadata, "resourceVersion")
  );
}

/** True for an object that is being deleted and has no remaining finalizers or grace period. */
export function isReleased(resource: Resource, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  return (
    deletionTimestamp !== undefined &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    (finalizers?.length ?? 0) === 0 &&
    resource.kind.strategy.heldBack?.(object) !== true
  );
}

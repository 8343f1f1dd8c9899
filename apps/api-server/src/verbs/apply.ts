import { badRequest, conflict, invalid, type JsonObject, type ManagedFieldsEntry, notFound } from "@kintsugi/api";
import type { StoreReader } from "@kintsugi/store";
import { assertAppliable } from "../apply/assert-appliable.ts";
import { withLastApplied } from "../apply/last-applied.ts";
import { resetFieldsOf } from "../apply/reset-fields.ts";
import type { FieldVersions } from "../fields/field-versions.ts";
import type { ApiResponse } from "../http/api-request.ts";
import { parseApplyBody } from "../request/apply-body.ts";
import { fieldInvalid } from "../http/refusals.ts";
import { decodeObject } from "../request/decode-object.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { type ApplyOptions, readApplyOptions } from "../request/write-options.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import { storedResource } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { awaitServiceAccount } from "../writes/await-service-account.ts";
import { commitAdmitted } from "../writes/commit-admitted.ts";
import { placeInNamespace } from "./create.ts";
import { assertMayCreate } from "../writes/may-create.ts";
import { assertNamespaceActive } from "../writes/namespace-active.ts";
import { ObjectCreation } from "../writes/object-creation.ts";
import { entryResponse } from "../answers/object-response.ts";
import { ObjectUpdate } from "../writes/object-update.ts";
import { assertSameIdentity } from "../writes/same-identity.ts";
import { planOrRefuse } from "../writes/plan-or-refuse.ts";
import { upsertOperations } from "./update.ts";

/** PATCH that applies a manager's part of an object. An object that does not exist is created. */
export async function apply(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { info } = call;
  const options = readApplyOptions(call.request, info);
  const applied = parseApplyBody(call, options.fieldValidation);
  assertAppliable(applied, call.resource);
  const resource = storedResource(call.resource);
  const key = storeKey(resource.type, info.namespace, info.name);
  const stated: Stated = { call, options, applied };
  // This read only decides whether the call waits. The code below decides whether the object
  // exists.
  if (context.store.find(key) === undefined) {
    await awaitServiceAccount(context, call, applied as unknown as KubeObject);
  }
  const { entry, result } = await commitAdmitted(context, {
    call,
    target: { key, resource, dryRun: options.dryRun },
    operations: upsertOperations,
    subresource: info.subresource,
    begin: (current, reader, versions) => {
      if (current === undefined) return beginCreateByApply(context, stated, { reader, versions });
      const next = (before: KubeObject) => applyTo(context, stated, { before, versions });
      return new ObjectUpdate(context, { call, options, next, saysOwners: true }, { current, reader, versions });
    },
  });
  if (entry === undefined) throw notFound(resource.type, info.name);
  return entryResponse(context, call, { status: result.created ? 201 : 200, entry });
}

interface Stated {
  call: ResourceCall;
  options: ApplyOptions;
  applied: JsonObject;
}

function beginCreateByApply(
  context: ServerContext,
  stated: Stated,
  { reader, versions }: { reader: Pick<StoreReader, "find">; versions: FieldVersions },
): ObjectCreation {
  const { call, options } = stated;
  const resource = storedResource(call.resource);
  const { name, namespace, subresource } = call.info;
  if (subresource !== "") throw notFound(resource.type, name);
  const { object, managedFields } = planned(context, stated, { before: undefined, versions });
  const { uid = "" } = object.metadata;
  if (uid !== "") {
    const mismatch = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(resource.type, name, mismatch);
  }
  placeInNamespace(call, object);
  if ((object.metadata.name ?? "") === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  assertSameIdentity(call, object);
  assertMayCreate(context, call);
  if (namespace !== "") assertNamespaceActive(reader, namespace, { type: resource.type, name });
  const stored = call.resource.view?.toStored(object) ?? object;
  return new ObjectCreation(context, { call, options, object: stored, managedFields }, reader);
}

function applyTo(
  context: ServerContext,
  stated: Stated,
  { before, versions }: { before: KubeObject; versions: FieldVersions },
): KubeObject {
  const { call } = stated;
  const { object, managedFields } = planned(context, stated, { before, versions });
  assertSameIdentity(call, object);
  const { uid = "" } = object.metadata;
  if (uid !== before.metadata.uid) {
    throw invalid(call.resource.type, call.info.name, [fieldInvalid("metadata.uid", uid, "field is immutable")]);
  }
  const stored = call.resource.view?.toStored(object) ?? object;
  stored.metadata.managedFields = managedFields;
  return stored;
}

/**
 * The object, in the served form, and the owners of its fields.
 * @throws ApiError
 */
function planned(
  context: ServerContext,
  { call, options, applied }: Stated,
  { before, versions }: { before: KubeObject | undefined; versions: FieldVersions },
): { object: KubeObject; managedFields: ManagedFieldsEntry[] } {
  const { resource, info } = call;
  const plan = planOrRefuse(context, {
    live: before && (resource.view?.fromStored(before) ?? before),
    applied,
    options,
    subresource: info.subresource,
    type: resource.type,
    versions,
    resets: resetFieldsOf(storedResource(resource), info.subresource),
  });
  const merged = options.fieldManager === "kubectl" ? withLastApplied(plan.object, applied) : plan.object;
  // The fields of the merged object and their types have been checked, so only values out of range
  // remain to be found.
  const object = decodeObject(merged, resource, { fieldValidation: "Ignore", duplicates: [], warnings: [] });
  return { object, managedFields: plan.managedFields };
}

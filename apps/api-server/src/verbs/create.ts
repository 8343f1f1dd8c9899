import {
  alreadyExists,
  applyDefaults,
  badRequest,
  formatTimestamp,
  invalid,
  isApiError,
  type ManagedFieldsEntry,
  validateCreate,
} from "@kintsugi/api";
import { nameSuffix } from "@kintsugi/clock";
import type { Entry, StoreReader } from "@kintsugi/store";
import { planManagedFields } from "../fields/managed-fields.ts";
import type { ApiResponse } from "../http/api-request.ts";
import { parseObjectBody } from "../http/body.ts";
import { fieldRequired } from "../http/refusals.ts";
import { decodeObject } from "../request/decode-object.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { storedResource } from "../resources/view.ts";
import type { ServerContext } from "../server-context.ts";
import { awaitServiceAccount } from "../writes/await-service-account.ts";
import { commit, type Decision, prepareContext } from "../writes/commit.ts";
import { assertNamespaceActive } from "../writes/namespace-active.ts";
import { entryResponse } from "../answers/object-response.ts";
import { assertMayGrow } from "../resources/object-size.ts";
import { fillNewMetadata } from "../writes/system-metadata.ts";

export async function create(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const options = readWriteOptions(call.request, call.info);
  const object = decodeBody(context, call, options);
  placeInNamespace(call, object);
  if ((object.metadata.resourceVersion ?? "") !== "") {
    throw badRequest("resourceVersion should not be set on objects to be created");
  }
  await awaitServiceAccount(context, call, object);
  const entry = await createNamed(context, { call, options, object });
  return entryResponse(context, call, { status: 201, entry });
}

/** The body as an object of the kind as it is stored. */
export function decodeBody(context: ServerContext, call: ResourceCall, options: WriteOptions): KubeObject {
  const { resource } = call;
  const body = parseObjectBody(call.request, context.registry.describe, options.fieldValidationAsked);
  const object = decodeObject(body.object, resource, {
    fieldValidation: options.fieldValidation,
    duplicates: body.duplicates,
    warnings: call.warnings,
  });
  return resource.view === undefined ? object : resource.view.toStored(object);
}

/** @throws ApiError BadRequest when object and URL disagree. */
export function placeInNamespace(call: ResourceCall, object: KubeObject): void {
  const { metadata } = object;
  if (!call.resource.type.namespaced) {
    if ((metadata.namespace ?? "") !== "") throw badRequest("namespace may not be set on cluster-scoped objects");
    delete metadata.namespace;
    return;
  }
  if (call.info.namespace === "") throw badRequest("an empty namespace may not be set during creation");
  if ((metadata.namespace ?? "") !== "" && metadata.namespace !== call.info.namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  metadata.namespace = call.info.namespace;
}

interface NewObject {
  call: ResourceCall;
  options: WriteOptions;
  object: KubeObject;
  /** Who owns what, where that has been decided already. */
  managedFields?: ManagedFieldsEntry[];
}

/** Upstream tries a generated name this often before it gives up. */
const generatedNameTriesMax = 8;
/** Upstream cuts the prefix so that prefix and suffix fit a label. */
const generatedPrefixLengthMax = 58;

async function createNamed(context: ServerContext, created: NewObject): Promise<Entry> {
  const { metadata } = created.object;
  const generateName = metadata.generateName ?? "";
  const generated = (metadata.name ?? "") === "" && generateName !== "";
  if (!generated && (metadata.name ?? "") === "") {
    throw invalid(created.call.resource.type, "", [fieldRequired("metadata.name", "name or generateName is required")]);
  }
  for (let tries = 1; ; tries++) {
    if (generated) metadata.name = generateName.slice(0, generatedPrefixLengthMax) + nameSuffix(context.random);
    try {
      return await createOnce(context, created);
    } catch (error) {
      if (!generated || !isApiError(error, "AlreadyExists") || tries === generatedNameTriesMax) throw error;
    }
  }
}

async function createOnce(context: ServerContext, created: NewObject): Promise<Entry> {
  const { call, options } = created;
  const resource = storedResource(call.resource);
  const name = created.object.metadata.name ?? "";
  const key = storeKey(resource.type, call.info.namespace, name);
  const object = prepareNew(context, { ...created, reader: context.store });
  const { entry } = await commit(context, { key, resource, dryRun: options.dryRun }, (current, reader) =>
    decideCreate(current, reader, { resource, object, namespace: call.info.namespace }),
  );
  if (entry === undefined) throw new Error(`created ${key}, but there is no entry`);
  return entry;
}

function decideCreate(
  current: Entry | undefined,
  reader: StoreReader,
  wanted: { resource: Resource; object: KubeObject; namespace: string },
): Decision<undefined> {
  const { resource, object, namespace } = wanted;
  const name = object.metadata.name ?? "";
  if (namespace !== "") assertNamespaceActive(reader, namespace, { type: resource.type, name });
  if (current !== undefined) throw alreadyExists(resource.type, name);
  return { action: "put", object, result: undefined };
}

/**
 * Makes of what was sent what will be stored: the server's metadata, admission, the kind's own preparation, validation,
 * and who owns the fields. @throws ApiError
 */
export function prepareNew(
  context: ServerContext,
  created: NewObject & { reader: Pick<StoreReader, "find"> },
): KubeObject {
  const { call, options, object, reader } = created;
  const resource = storedResource(call.resource);
  applyDefaults(resource.kind, object);
  if (resource.kind.strategy.status === true && resource.kind.strategy.statusOnCreate !== true) delete object.status;
  const request = {
    operation: "create" as const,
    user: call.user,
    resource,
    subresource: "",
    namespace: call.info.namespace,
    name: object.metadata.name ?? "",
    object,
    before: undefined,
    reader,
  };
  context.admission.mutate(request);
  assertMayGrow(object, undefined);
  // Whoever creates owns what they sent and what was filled in for them, but not what the server makes of it next.
  const managedFields =
    created.managedFields ??
    planManagedFields(
      resource,
      { before: undefined, after: object },
      { manager: options.fieldManager, subresource: "", time: formatTimestamp(context.clock.nowMs()) },
    );
  assertMayGrow({ ...object, metadata: { ...object.metadata, managedFields } }, undefined);
  fillNewMetadata(context, object, resource);
  const prepare = prepareContext(context);
  resource.kind.strategy.prepareForCreate?.(object, prepare);
  if (managedFields !== undefined && managedFields.length > 0) object.metadata.managedFields = managedFields;
  const ofServer = resource.kind.strategy.validateNew?.(object, prepare) ?? [];
  const issues = [...validateCreate(resource.kind, object), ...ofServer];
  if (issues.length > 0) throw invalid(resource.type, object.metadata.name ?? "", issues);
  context.admission.validate(request);
  return object;
}

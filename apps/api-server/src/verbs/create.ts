import { badRequest, invalid, isApiError } from "@kintsugi/api";
import { nameSuffix } from "@kintsugi/clock";
import type { Entry } from "@kintsugi/store";
import type { ApiResponse } from "../http/api-request.ts";
import { valuesMaxOf } from "../http/bodies/body-limits.ts";
import { fieldRequired } from "../http/refusals.ts";
import { readPosted } from "../request/posted-object.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { storeKey } from "../resources/keys.ts";
import { AllocationLost } from "../resources/service-allocator.ts";
import type { KubeObject } from "../resources/resource.ts";
import { storedResource } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { awaitServiceAccount } from "../writes/await-service-account.ts";
import { commit, type CommitTarget } from "../writes/commit.ts";
import { admitNow, commitAdmitted, isAdmittedAsync } from "../writes/commit-admitted.ts";
import { assertNamespaceActive } from "../writes/namespace-active.ts";
import { type NewObject, ObjectCreation } from "../writes/object-creation.ts";
import { entryResponse } from "../answers/object-response.ts";

export async function create(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const options = readWriteOptions(call.request, call.info);
  const object = readNew(context, call, options);
  if ((object.metadata.resourceVersion ?? "") !== "") {
    throw badRequest("resourceVersion should not be set on objects to be created");
  }
  await awaitServiceAccount(context, call, object);
  const entry = await createNamed(context, { call, options, object });
  return entryResponse(context, call, { status: 201, entry });
}

function readNew(context: ServerContext, call: ResourceCall, options: WriteOptions): KubeObject {
  const object = decodeBody(context, call, options);
  placeInNamespace(call, object);
  return object;
}

/** The body as an object of the kind, in the stored form. */
export function decodeBody(context: ServerContext, call: ResourceCall, options: WriteOptions): KubeObject {
  const { resource } = call;
  const valuesMax = valuesMaxOf(resource.kind);
  const object = readPosted(context, call, { decodable: resource, options, valuesMax });
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

/**
 * Number of tries for a generated name (upstream's maxNameGenerationCreateAttempts). A Service
 * whose address another server allocated in the meantime is tried as often.
 */
const triesMax = 8;
/** Upstream shortens the prefix so that prefix and suffix fit a label. */
const generatedPrefixLengthMax = 58;

async function createNamed(context: ServerContext, created: NewObject): Promise<Entry> {
  const { metadata } = created.object;
  const generateName = metadata.generateName ?? "";
  const generated = (metadata.name ?? "") === "" && generateName !== "";
  if (!generated && (metadata.name ?? "") === "") {
    throw invalid(created.call.resource.type, "", [fieldRequired("metadata.name", "name or generateName is required")]);
  }
  for (let tries = 1, next = created; ; tries++) {
    const { metadata: own } = next.object;
    if (generated) own.name = generateName.slice(0, generatedPrefixLengthMax) + nameSuffix(context.random);
    try {
      return await createOnce(context, next);
    } catch (error) {
      if (tries === triesMax) throw error;
      if (error instanceof AllocationLost) next = again(context, created);
      else if (!generated || !isApiError(error, "AlreadyExists")) throw error;
    }
  }
}

/** The same request with the object as sent, without the addresses that another Service took. */
function again(context: ServerContext, { call, options }: NewObject): NewObject {
  return { call, options, object: readNew(context, { ...call, warnings: [] }, options) };
}

const createOperations = ["create"] as const;

async function createOnce(context: ServerContext, created: NewObject): Promise<Entry> {
  const { call, options } = created;
  const resource = storedResource(call.resource);
  const name = created.object.metadata.name ?? "";
  const { namespace } = call.info;
  const patient = resource.kind.exceptions.isReport === true;
  const target = { key: storeKey(resource.type, namespace, name), resource, dryRun: options.dryRun, patient };
  const handled = { call, target, operations: createOperations, subresource: "" };
  const { entry } = isAdmittedAsync(context, handled)
    ? await commitAdmitted(context, {
        ...handled,
        createsOnly: true,
        begin: (_, reader) => {
          // The namespace has to exist and be active before anything else is checked.
          if (namespace !== "") assertNamespaceActive(reader, namespace, { type: resource.type, name });
          // A generated name may be in use, and the next try starts with the object as sent.
          return new ObjectCreation(context, { ...created, object: structuredClone(created.object) }, reader);
        },
      })
    : await commitNew(context, target, admitNow(context, new ObjectCreation(context, created, context.store)));
  if (entry === undefined) throw new Error(`created ${target.key}, but there is no entry`);
  return entry;
}

function commitNew(context: ServerContext, target: CommitTarget, planned: ObjectCreation) {
  return commit(context, target, (current, reader) => planned.decide(current, reader));
}

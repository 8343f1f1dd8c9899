import { badRequest, notFound, type ObjectKey, preconditionFailed } from "@kintsugi/api";
import type { StoreReader } from "@kintsugi/store";
import type { ApiResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { storedResource } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import type { CommitTarget } from "../writes/commit.ts";
import { commitAdmitted, isAdmittedAsync } from "../writes/commit-admitted.ts";
import { decodeBody, placeInNamespace } from "./create.ts";
import { assertMayCreate } from "../writes/may-create.ts";
import { assertNamespaceActive } from "../writes/namespace-active.ts";
import { ObjectCreation } from "../writes/object-creation.ts";
import { entryResponse } from "../answers/object-response.ts";
import { ObjectUpdate } from "../writes/object-update.ts";

export const updateOperations = ["update"] as const;
export const upsertOperations = ["update", "create"] as const;

/**
 * PUT of an object or of one of its subresources that have the object's own kind (status, resize…).
 */
export async function update(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { info } = call;
  const options = readWriteOptions(call.request, info);
  const sent = readSent(context, call, options);
  const resource = storedResource(call.resource);
  const handled = {
    call,
    target: {
      key: storeKey(resource.type, info.namespace, info.name),
      resource,
      dryRun: options.dryRun,
      ...urgencyOf(resource, info),
    },
    operations: resource.kind.strategy.createOnUpdate === true ? upsertOperations : updateOperations,
    subresource: info.subresource,
  };
  const next = isAdmittedAsync(context, handled)
    ? () => structuredClone(sent)
    : onceThenAgain(sent, () => readSent(context, { ...call, warnings: [] }, options));
  const { entry, result } = await commitAdmitted(context, {
    ...handled,
    begin: (current, reader, versions) =>
      current === undefined
        ? beginCreateOnUpdate(context, { call, options, object: next() }, reader)
        : new ObjectUpdate(context, { call, options, next }, { current, reader, versions }),
  });
  if (entry === undefined) throw notFound(resource.type, info.name);
  return entryResponse(context, call, { status: result.created ? 201 : 200, entry });
}

/**
 * Heartbeats are accepted even when the disk is nearly full. Nodes send many heartbeats and
 * reports, so these writes may wait for each other and share a sync.
 */
export function urgencyOf(
  { kind: { exceptions } }: Pick<Resource, "kind">,
  key: ObjectKey,
): Pick<CommitTarget, "important" | "patient"> {
  const isHeartbeat = (exceptions.heartbeatOf?.(key) ?? "") !== "";
  return { important: exceptions.keepsAlive === true, patient: isHeartbeat || exceptions.isReport === true };
}

/** The object of the body. @throws ApiError */
function readSent(context: ServerContext, call: ResourceCall, options: WriteOptions): KubeObject {
  const { info } = call;
  const sent = decodeBody(context, call, options);
  placeInNamespace(call, sent);
  if ((sent.metadata.name ?? "") === "") sent.metadata.name = info.name;
  if (sent.metadata.name !== info.name) {
    throw badRequest(
      `the name of the object (${sent.metadata.name}) does not match the name on the URL (${info.name})`,
    );
  }
  return sent;
}

/**
 * The parsed object becomes the stored object. Parsing the body again costs more than a copy, but
 * is needed only for the few writes that another writer overtakes.
 */
function onceThenAgain(first: KubeObject, read: () => KubeObject): () => KubeObject {
  let unused: KubeObject | undefined = first;
  return () => {
    const next = unused ?? read();
    unused = undefined;
    return next;
  };
}

function beginCreateOnUpdate(
  context: ServerContext,
  sent: { call: ResourceCall; options: WriteOptions; object: KubeObject },
  reader: Pick<StoreReader, "find">,
): ObjectCreation {
  const { call, object } = sent;
  const resource = storedResource(call.resource);
  const { name, namespace } = call.info;
  if (resource.kind.strategy.createOnUpdate !== true || call.info.subresource !== "")
    throw notFound(resource.type, name);
  const { uid = "", resourceVersion = "" } = object.metadata;
  if (uid !== "") throw preconditionFailed(resource.type, name, { field: "UID", expected: uid, actual: "" });
  if (resourceVersion !== "") throw notFound(resource.type, name);
  assertMayCreate(context, call);
  if (namespace !== "") assertNamespaceActive(reader, namespace, { type: resource.type, name });
  return new ObjectCreation(context, sent, reader);
}

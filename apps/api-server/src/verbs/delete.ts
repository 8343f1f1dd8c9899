import { notFound, preconditionFailed } from "@kintsugi/api";
import type { Entry, StoreReader } from "@kintsugi/store";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { successStatus } from "../http/status.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { storedResource } from "../resources/view.ts";
import type { ServerContext } from "../server-context.ts";
import { commit, type Decision } from "../writes/commit.ts";
import { type DeleteRequest, readDeleteRequest } from "./delete-options.ts";
import { entryResponse } from "../answers/object-response.ts";
import { planDelete } from "./plan-delete.ts";

/** DELETE of one object. */
export async function deleteObject(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const request = readDeleteRequest(context, call);
  const { entry, gone } = await deleteOne(context, call, request);
  const { type, kind } = storedResource(call.resource);
  if (!gone || kind.strategy.returnsDeleted === true) return entryResponse(context, call, { status: 200, entry });
  const group = type.group === "" ? {} : { group: type.group };
  return jsonResponse(
    200,
    successStatus({ name: call.info.name, ...group, kind: type.resource, uid: entry.index.uid }),
  );
}

/**
 * Deletes, or marks as deleted; `gone` tells which. What `annotate` makes of the object, in the same write, is its last state: undefined
 * when there is nothing to say.
 * @throws ApiError
 */
export async function deleteOne(
  context: ServerContext,
  call: ResourceCall,
  request: DeleteRequest & { annotate?: (stored: KubeObject) => KubeObject | undefined },
): Promise<{ entry: Entry; gone: boolean }> {
  const resource = storedResource(call.resource);
  const { name, namespace } = call.info;
  const target = {
    key: storeKey(resource.type, namespace, name),
    resource,
    dryRun: request.dryRun,
    important: true,
  };
  const { entry, result } = await commit(context, target, (current, reader) =>
    decideDelete(context, { call, resource, request, current, reader }),
  );
  if (entry === undefined) throw notFound(resource.type, name);
  return { entry, gone: result.gone };
}

interface DeleteInput {
  call: ResourceCall;
  resource: Resource;
  request: Parameters<typeof deleteOne>[2];
  current: Entry | undefined;
  reader: StoreReader;
}

function decideDelete(context: ServerContext, input: DeleteInput): Decision<{ gone: boolean }> {
  const { call, resource, request, current, reader } = input;
  const { name, namespace, subresource } = call.info;
  if (current === undefined) throw notFound(resource.type, name);
  checkPreconditions(resource, current, { name, request });
  const stored = decodeEntry(current);
  context.admission.validate({
    operation: "delete",
    user: call.user,
    resource,
    subresource,
    namespace,
    name,
    object: undefined,
    before: stored,
    reader,
  });
  const annotated = request.annotate?.(stored);
  const plan = planDelete(resource, annotated ?? stored, { request, nowMs: context.clock.nowMs() });
  if (plan.action === "keep" && !annotated) return { action: "keep", result: { gone: false } };
  const action = plan.action === "delete" ? "delete" : "put";
  return { action, object: plan.object, result: { gone: action === "delete" } };
}

function checkPreconditions(resource: Resource, current: Entry, asked: { name: string; request: DeleteRequest }): void {
  const { uid, resourceVersion } = asked.request.preconditions;
  if (uid !== undefined && uid !== current.index.uid) {
    throw preconditionFailed(resource.type, asked.name, { field: "UID", expected: uid, actual: current.index.uid });
  }
  const actual = String(current.revision);
  if (resourceVersion !== undefined && resourceVersion !== "" && resourceVersion !== actual) {
    throw preconditionFailed(resource.type, asked.name, {
      field: "ResourceVersion",
      expected: resourceVersion,
      actual,
    });
  }
}

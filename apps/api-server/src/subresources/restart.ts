import { conflict, formatMicroTime, notFound, type Pod, podRestartAnnotation, pods } from "@kintsugi/api";
import type { Entry, StoreReader } from "@kintsugi/store";
import { requestedBy } from "../admission/requested-by.ts";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readWriteOptions } from "../request/write-options.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { ServerContext } from "../server-context.ts";
import { commitAdmitted, type PlannedWrite } from "../writes/commit-admitted.ts";
import { updateOperations } from "../verbs/update.ts";

const restartType = { group: "", resource: "pods/restart" };

/**
 * POST pods/{name}/restart, Kintsugi's own: makes the pod's kubelet restart the same pod and
 * recreate everything that its containers share. The request does not need a body. The answer is
 * the pod with the recorded request; its condition kintsugi.dev/Restarted reports the result.
 */
export async function createRestart(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { namespace, name } = call.info;
  const { dryRun } = readWriteOptions(call.request, call.info);
  const { result } = await commitAdmitted(context, {
    call,
    target: { key: storeKey(pods, namespace, name), resource: call.resource, dryRun },
    operations: updateOperations,
    subresource: "restart",
    begin: (current, reader) => beginRestart(context, call, { current, reader, dryRun }),
  });
  return jsonResponse(201, result);
}

/**
 * Admission sees the requested restart as an update of the pod, because the request has no body.
 */
function beginRestart(
  context: ServerContext,
  call: ResourceCall,
  { current, reader, dryRun }: { current: Entry | undefined; reader: Pick<StoreReader, "find">; dryRun: boolean },
): PlannedWrite<Pod> {
  const { name, namespace } = call.info;
  if (current === undefined) throw notFound(pods, name);
  const before = decodeEntry(current) as Pod;
  const asked = askedToRestart(before, { name, nowMs: context.clock.nowMs() });
  const planned: PlannedWrite<Pod> = {
    request: {
      operation: "update",
      ...requestedBy(call),
      resource: call.resource,
      subresource: "restart",
      namespace,
      name,
      object: asked,
      before,
      dryRun,
      reader,
    },
    // This subresource writes one annotation, and ignores a step's other changes.
    adopt: () => asked,
    settle: () => {},
    decide: () => ({ action: "put", object: asked, result: asked }),
  };
  return planned;
}

/** @throws ApiError Conflict when the pod cannot be restarted. */
function askedToRestart(pod: Pod, { name, nowMs }: { name: string; nowMs: number }): Pod {
  const { metadata, spec, status } = pod;
  if (metadata.deletionTimestamp !== undefined) throw refusal(name, "is being deleted");
  if ((spec?.nodeName ?? "") === "") throw refusal(name, "is not bound to a node yet, so it cannot be restarted");
  if (status?.phase === "Succeeded" || status?.phase === "Failed") {
    throw refusal(
      name,
      `has ended (${status.phase}) and never runs again: delete it, and its controller creates another pod`,
    );
  }
  const annotations = { ...metadata.annotations, [podRestartAnnotation]: formatMicroTime(nowMs) };
  return { ...pod, metadata: { ...metadata, annotations } };
}

function refusal(name: string, because: string): Error {
  return conflict(restartType, name, `pod ${name} ${because}`);
}

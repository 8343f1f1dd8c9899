import { conflict, formatMicroTime, notFound, type Pod, podRestartAnnotation, pods } from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readWriteOptions } from "../request/write-options.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { ServerContext } from "../server-context.ts";
import { commit, type Decision } from "../writes/commit.ts";

const restartType = { group: "", resource: "pods/restart" };

/**
 * POST pods/{name}/restart, ours: asks the pod's kubelet to start the same pod again with everything that its containers share made
 * new. It needs no body. The answer is the pod as it is asked; its condition kintsugi.dev/Restarted tells when it is done.
 */
export async function createRestart(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const { namespace, name } = call.info;
  const { dryRun } = readWriteOptions(call.request, call.info);
  const key = storeKey(pods, namespace, name);
  const { result } = await commit(context, { key, resource: call.resource, dryRun }, (current) =>
    decideRestart(current, { name, nowMs: context.clock.nowMs() }),
  );
  return jsonResponse(201, result);
}

function decideRestart(current: Entry | undefined, { name, nowMs }: { name: string; nowMs: number }): Decision<Pod> {
  if (current === undefined) throw notFound(pods, name);
  const pod = decodeEntry(current) as Pod;
  const { metadata, spec, status } = pod;
  if (metadata.deletionTimestamp !== undefined) throw refusal(name, "is being deleted");
  if ((spec?.nodeName ?? "") === "") throw refusal(name, "is not on a node yet, so there is nothing to restart");
  if (status?.phase === "Succeeded" || status?.phase === "Failed") {
    throw refusal(
      name,
      `has ended (${status.phase}) and is never run again: delete it, and its controller makes another`,
    );
  }
  metadata.annotations = { ...metadata.annotations, [podRestartAnnotation]: formatMicroTime(nowMs) };
  return { action: "put", object: pod, result: pod };
}

function refusal(name: string, because: string): Error {
  return conflict(restartType, name, `pod ${name} ${because}`);
}

import { badRequest, internalError } from "@kintsugi/api";
import type { ApiResponse } from "../http/api-request.ts";
import { methodNotAllowed } from "../http/refusals.ts";
import { parseBackendName } from "../proxy/backend-name.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { ServerContext } from "../server-context.ts";
import { admitProxy } from "../writes/admit-connect.ts";
import type { KubeletDialer } from "../kubelet/kubelet-dialer.ts";
import { findKubelet } from "./pod-location.ts";

/**
 * GET nodes/{name}/proxy/{path}: returns the answer of the node's kubelet to GET /{path}, of any
 * status (registry/core/node/rest). Only reads are passed on, and no upgrade: the right to "get"
 * nodes/proxy would open every container of the node. A kubelet takes other methods for nothing but
 * streams, which pods have subresources for.
 * @throws ApiError
 */
export async function getNodeProxy(
  context: ServerContext,
  call: ResourceCall,
  dialer: KubeletDialer | undefined,
): Promise<ApiResponse> {
  const { info, request } = call;
  if (info.verb !== "get") throw methodNotAllowed();
  if (request.upgrade !== undefined) {
    throw badRequest(
      "a node's proxy only reads: for streams use the subresources exec, attach and portforward of a pod",
    );
  }
  if (dialer === undefined) throw internalError("this server has no way to reach kubelets");
  const { path: there, query } = info.behindProxy ?? { path: "", query: "" };
  await admitProxy(context, call, "NodeProxyOptions");
  const { name, port } = parseBackendName(info.name, "node");
  const target = findKubelet(context, name);
  // Other servers of the node are not the kubelet's, whose certificate is all that a node is known
  // by.
  if (port !== "" && port !== String(target.port)) throw badRequest("address not allowed");
  const path = `${there === "" ? "/" : there}${query}`;
  const { status, contentType, body } = await dialer.get(target, path, request.signal);
  return { status, headers: { "content-type": contentType, "x-content-type-options": "nosniff" }, body };
}

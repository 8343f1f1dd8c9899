import { badRequest, internalError } from "@kintsugi/api";
import type { ApiResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { ServerContext } from "../server-context.ts";
import type { KubeletDialer } from "./kubelet-dialer.ts";
import { findKubelet } from "./pod-location.ts";

/**
 * GET nodes/{name}/proxy/{path}: what the node's kubelet answers to GET /{path}, whatever it says (registry/core/node/rest).
 * Only what can be read is passed on, and no upgrade: whoever may "get" nodes/proxy would get into every container of the node.
 * @throws ApiError
 */
export async function getNodeProxy(
  context: ServerContext,
  { info, request }: ResourceCall,
  dialer: KubeletDialer | undefined,
): Promise<ApiResponse> {
  if (request.upgrade !== undefined) {
    throw badRequest(
      "a node's proxy only reads: for streams use the subresources exec, attach and portforward of a pod",
    );
  }
  if (dialer === undefined) throw internalError("this server has no way to reach kubelets");
  const target = findKubelet(context, info.name);
  const { path: there, query } = info.behindProxy ?? { path: "", query: "" };
  const path = `${there === "" ? "/" : there}${query}`;
  const { status, contentType, body } = await dialer.get(target, path, request.signal);
  return { status, headers: { "content-type": contentType, "x-content-type-options": "nosniff" }, body };
}

import { ApiError, internalError, badRequest } from "@kintsugi/api";
import { type ApiResponse, bytesResponse } from "../http/api-request.ts";
import { parseBackendName } from "../proxy/backend-name.ts";
import { backendRequest } from "../proxy/proxy.ts";
import { authorize } from "../request/authorize.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { ServerContext } from "../server-context.ts";
import { admitProxy } from "../writes/admit-connect.ts";
import {
  type KubeletDialer,
  type KubeletRequest,
  type KubeletTarget,
  readErrorText,
} from "../kubelet/kubelet-dialer.ts";
import { findKubelet } from "./pod-location.ts";

/**
 * nodes/{name}/proxy/{path}: the answer of the node's kubelet to the same method and path, with any
 * status (registry/core/node/rest). Kubelets accept every method for streams into containers, and a
 * WebSocket request is a GET. So a protocol upgrade requires the right to "create" nodes/proxy, and
 * the right to "get" alone only allows reads.
 * @throws ApiError
 */
export async function connectNodeProxy(
  context: ServerContext,
  call: ResourceCall,
  dialer: KubeletDialer | undefined,
): Promise<ApiResponse> {
  const { info, request, user } = call;
  if (dialer === undefined) throw internalError("this server cannot reach kubelets");
  const isUpgrade = request.upgrade !== undefined;
  if (isUpgrade && info.verb !== "create") authorize(context.authorizer, user, { ...info, verb: "create" });
  await admitProxy(context, call, "NodeProxyOptions");
  const { name, port } = parseBackendName(info.name, "node");
  const target = findKubelet(context, name);
  // Only the kubelet's certificate authenticates a node, and other servers on the node do not have
  // this certificate.
  if (port !== "" && port !== String(target.port)) throw badRequest("address not allowed");
  return (isUpgrade ? upgrade : send)(dialer, target, call);
}

async function send(dialer: KubeletDialer, target: KubeletTarget, call: ResourceCall): Promise<ApiResponse> {
  const { status, contentType, body } = await dialer.send(target, askedOf(call), call.request.signal);
  return { status, headers: { "content-type": contentType, "x-content-type-options": "nosniff" }, body };
}

async function upgrade(dialer: KubeletDialer, target: KubeletTarget, call: ResourceCall): Promise<ApiResponse> {
  const answer = await dialer.upgrade(target, askedOf(call), call.request.signal);
  if (answer.upgraded) {
    return { status: 101, headers: { ...answer.headers }, body: new Uint8Array(), tunnel: answer.tunnel };
  }
  const { status, body } = answer.response;
  // A client that waits for another protocol would interpret the following bytes as that protocol.
  if (status < 400) throw new ApiError("InternalError", `the kubelet answered with status ${status} to an upgrade`);
  return bytesResponse(status, Buffer.from(await readErrorText(body)), "text/plain; charset=utf-8");
}

/**
 * Returns the request for the kubelet, without everything that identifies the client to this
 * server.
 */
function askedOf(call: ResourceCall): KubeletRequest {
  const request = backendRequest(call);
  // The kubelet is identified by its address. Of the answer's headers, only the content type is
  // forwarded, so the answer must not be compressed.
  const { host: _host, "accept-encoding": _encoding, ...headers } = request.headers;
  return { ...request, headers };
}

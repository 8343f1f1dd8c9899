import { internalError, tooManyRequests } from "@kintsugi/api";
import type { UserInfo } from "../authorization/authorization.ts";
import { type ApiRequest, type ApiResponse, textResponse } from "../http/api-request.ts";
import type { BackendRequest, BackendResponse } from "../proxy/backend-dialer.ts";
import { requestHeaders, responseHeaders } from "../proxy/forwarded-headers.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { identityHeaders, type RemoteCallerDeps, targetOf } from "./remote-caller.ts";
import type { RemoteService, ApiServiceDirectory } from "./service-directory.ts";

/**
 * Concurrent requests to other servers. Each holds two sockets, and a server that hangs must not
 * use up the file descriptors.
 */
const requestsMax = 1000;

/**
 * Forwards a request to the server that is registered for its group and version; undefined when
 * this server itself serves them. The request has been authorized. The other server identifies its
 * caller by headers, and may still reject it.
 */
export type AggregatedRoute = (
  request: ApiRequest,
  info: RequestInfo,
  user: UserInfo,
) => Promise<ApiResponse> | undefined;

export function createAggregatedRoute(deps: RemoteCallerDeps & { directory: ApiServiceDirectory }): AggregatedRoute {
  let requests = 0;
  return (request, { segments }, user) => {
    const [root, group = "", version = ""] = segments;
    if (root !== "apis" || version === "") return undefined;
    const remote = deps.directory.find(`${group}/${version}`);
    if (remote === undefined) return undefined;
    if (!remote.isAvailable) return Promise.resolve(textResponse(503, "service unavailable\n"));
    if (requests >= requestsMax) {
      return Promise.reject(tooManyRequests(`${requestsMax} requests to other API servers are already in progress`));
    }
    requests++;
    let isOver = false;
    const over = () => {
      if (!isOver) requests--;
      isOver = true;
    };
    return pass(deps, { request, user, remote, over }).catch((error: unknown) => {
      over();
      throw error;
    });
  };
}

interface Passed {
  request: ApiRequest;
  user: UserInfo;
  remote: RemoteService;
  /** Called when no part of the request is in progress. */
  over: () => void;
}

async function pass(deps: RemoteCallerDeps, passed: Passed): Promise<ApiResponse> {
  const { request, user, remote, over } = passed;
  if (deps.dialer === undefined) throw internalError("this server cannot reach pods");
  const target = targetOf(deps, remote);
  const sent = backendRequest(request, user, remote);
  if (request.upgrade === undefined) {
    return toResponse(await deps.dialer.send(target, sent, request.signal), over);
  }
  const answer = await deps.dialer.upgrade(target, sent, request.signal);
  if (!answer.upgraded) return toResponse(answer.response, over);
  answer.tunnel.socket.once("close", over);
  const { headers } = responseHeaders(answer.headers, true);
  return { status: 101, headers, body: new Uint8Array(), tunnel: answer.tunnel };
}

function backendRequest(request: ApiRequest, user: UserInfo, { service }: RemoteService): BackendRequest {
  const { remoteAddress, upgrade } = request;
  const headers = requestHeaders(request.headers, { prefix: "", path: request.path, remoteAddress, upgrade });
  return {
    method: request.method,
    path: request.path,
    headers: { ...headers, ...identityHeaders(user), host: `${service.name}.${service.namespace}.svc` },
    body: request.body,
  };
}

function toResponse({ status, headers: sent, body, closed }: BackendResponse, over: () => void): ApiResponse {
  void closed.then(over);
  if (status < 200) throw internalError(`invalid response: status code ${status}`);
  const { headers, setCookies } = responseHeaders(sent);
  return { status, headers, ...(setCookies.length === 0 ? {} : { setCookies }), body, isPassedOn: true };
}

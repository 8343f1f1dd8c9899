import { ApiError, internalError, tooManyRequests } from "@kintsugi/api";
import type { ApiResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { ServerContext } from "../server-context.ts";
import { admitProxy } from "../writes/admit-connect.ts";
import type { BackendDialer, BackendRequest, BackendResponse, BackendTarget } from "./backend-dialer.ts";
import { requestHeaders, type ResponseHeaders, responseHeaders } from "./forwarded-headers.ts";
import { locatePod, locateService } from "./locate-backend.ts";
import { rewriteGzippedHtml, rewriteHtml } from "./rewrite-html.ts";
import { type ProxiedPage, rewriteUrl } from "./rewrite-url.ts";

/**
 * Limit of concurrent requests through this server. Each holds two sockets. Together with the same
 * number of streams to containers, 4,096 open files are enough.
 */
const requestsMax = 1000;

export type ProxyVerb = (context: ServerContext, call: ResourceCall) => Promise<ApiResponse>;

/**
 * pods/NAME/proxy and services/NAME/proxy: requests of every HTTP method, and upgrades to other
 * protocols, to a server that runs in a pod.
 */
export function createProxy(dialer: BackendDialer | undefined): Readonly<Record<"pods" | "services", ProxyVerb>> {
  let requests = 0;
  const proxy = async (call: ResourceCall, target: BackendTarget): Promise<ApiResponse> => {
    const away = redirectToRoot(call);
    if (away !== undefined) return away;
    if (dialer === undefined) throw internalError("this server cannot reach pods");
    if (requests >= requestsMax)
      throw tooManyRequests(`${requestsMax} requests to pods and services are already in progress`);
    requests++;
    let isOver = false;
    const over = () => {
      if (!isOver) requests--;
      isOver = true;
    };
    try {
      return await (call.request.upgrade === undefined ? send : upgrade)(dialer, { call, target, over });
    } catch (error) {
      over();
      throw error;
    }
  };
  return {
    pods: async (context, call) => {
      await admitProxy(context, call, "PodProxyOptions");
      return proxy(call, locatePod(context, call.info));
    },
    services: async (context, call) => {
      await admitProxy(context, call, "ServiceProxyOptions");
      return proxy(call, locateService(context, call.info));
    },
  };
}

interface Exchange {
  call: ResourceCall;
  target: BackendTarget;
  /** Called when no part of the proxied request is in progress. */
  over: () => void;
}

async function send(dialer: BackendDialer, { call, target, over }: Exchange): Promise<ApiResponse> {
  const answer = await dialer.send(target, backendRequest(call), call.request.signal);
  return toResponse(answer, { call, target, over });
}

async function upgrade(dialer: BackendDialer, exchange: Exchange): Promise<ApiResponse> {
  const { call, target, over } = exchange;
  const answer = await dialer.upgrade(target, backendRequest(call), call.request.signal);
  if (!answer.upgraded) {
    const { response } = answer;
    // A client that waits for another protocol would interpret the following bytes as that
    // protocol.
    if (response.status < 400) throw internalError(`invalid upgrade response: status code ${response.status}`);
    return toResponse(response, exchange);
  }
  answer.tunnel.socket.once("close", over);
  const { headers } = responseHeaders(answer.headers, true);
  return { status: 101, headers, body: new Uint8Array(), tunnel: answer.tunnel };
}

/** Relative links of a page lead through the proxy only if the proxy's path ends with a slash. */
function redirectToRoot({ info, request }: ResourceCall): ApiResponse | undefined {
  const { path, query } = info.behindProxy ?? noTarget;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (path !== "" || !isRead || request.upgrade !== undefined) return undefined;
  return { status: 301, headers: { location: `${info.path}/${query}` }, body: new Uint8Array() };
}

/** The request as the server behind a proxy subresource gets it. */
export function backendRequest(call: ResourceCall): BackendRequest & { headers: Record<string, string> } {
  const { request, info } = call;
  const { path: asked, query } = info.behindProxy ?? noTarget;
  const path = asked === "" ? "/" : asked;
  const from = { prefix: prefixOf(call), path, remoteAddress: request.remoteAddress, upgrade: request.upgrade };
  return {
    method: request.method,
    path: `${path}${query}`,
    headers: requestHeaders(request.headers, from),
    body: request.bodyStream ?? request.body,
  };
}

const noTarget = { path: "", query: "" };

/** The path of the proxy on this server, as the client wrote it. */
function prefixOf({ info }: ResourceCall): string {
  return info.path.slice(0, info.path.length - (info.behindProxy?.path.length ?? 0));
}

function toResponse(answer: BackendResponse, exchange: Exchange): ApiResponse {
  const { call, target, over } = exchange;
  const { status } = answer;
  void answer.closed.then(over);
  if (status < 200) throw new ApiError("InternalError", `invalid response: status code ${status}`);
  const page: ProxiedPage = {
    prefix: prefixOf(call),
    backendHost: hostOf(target),
    requestHost: call.request.headers["host"] ?? call.request.headers[":authority"] ?? "",
  };
  const { headers, setCookies }: ResponseHeaders = responseHeaders(answer.headers);
  const redirect = headers["location"];
  let body = answer.body;
  if (redirect !== undefined) headers["location"] = rewriteUrl(redirect, page);
  else if (isRewritable(headers)) {
    delete headers["content-length"];
    const rewrite = headers["content-encoding"] === "gzip" ? rewriteGzippedHtml : rewriteHtml;
    if (call.request.method !== "HEAD") body = rewrite(body, (url) => rewriteUrl(url, page));
  }
  return { status, headers, ...(setCookies.length === 0 ? {} : { setCookies }), body, isPassedOn: true };
}

/** A page with another compression is forwarded unchanged. */
function isRewritable(headers: Readonly<Record<string, string>>): boolean {
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  return type === "text/html" && ["identity", "gzip"].includes(headers["content-encoding"] ?? "identity");
}

function hostOf({ scheme, address, port }: BackendTarget): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return port === (scheme === "https" ? 443 : 80) ? host : `${host}:${port}`;
}

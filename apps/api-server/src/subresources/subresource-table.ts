import { methodNotAllowed, pathNotFound } from "../http/refusals.ts";
import type { ServerContext } from "../server-context.ts";
import type { ApiResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { get } from "../verbs/get.ts";
import { patch } from "../verbs/patch.ts";
import { update } from "../verbs/update.ts";
import type { BackendDialer } from "../proxy/backend-dialer.ts";
import { createProxy } from "../proxy/proxy.ts";
import { createBinding } from "./binding.ts";
import { createEviction } from "./eviction.ts";
import { createConnect } from "./connect.ts";
import type { KubeletDialer } from "./kubelet-dialer.ts";
import { getLog } from "./log.ts";
import { getNodeProxy } from "./node-proxy.ts";
import { createRestart } from "./restart.ts";
import { getScale, updateScale } from "./scale.ts";
import { createToken } from "./token.ts";

/** Answers an authorized request for a resource. */
export type Verb = (context: ServerContext, call: ResourceCall) => ApiResponse | Promise<ApiResponse>;

/** By subresource and verb, who answers. */
export type SubresourceTable = Readonly<Record<string, Readonly<Record<string, Verb>>>>;

export interface Dialers {
  kubelets: KubeletDialer | undefined;
  backends: BackendDialer | undefined;
}

export function createSubresourceTable({ kubelets: dialer, backends }: Dialers): SubresourceTable {
  /** Another door to the object itself. */
  const own = { get, update, patch };
  const { exec, attach, portforward } = createConnect(dialer);
  const proxies = createProxy(backends);
  return {
    status: own,
    approval: own,
    ephemeralcontainers: own,
    resize: own,
    finalize: { update },
    scale: { get: getScale, update: updateScale, patch: updateScale },
    binding: { create: createBinding },
    eviction: { create: createEviction },
    token: { create: answerToken },
    restart: { create: createRestart },
    log: { get: (context, call) => getLog(context, call, dialer) },
    proxy: ofEachMethod((context, call) => {
      const { resource } = call.resource.type;
      if (resource === "pods" || resource === "services") return proxies[resource](context, call);
      return getNodeProxy(context, call, dialer);
    }),
    // A WebSocket is a GET, SPDY a POST.
    exec: { get: exec, create: exec },
    attach: { get: attach, create: attach },
    portforward: { get: portforward, create: portforward },
  };
}

/** Verbs by which requests are authorized; OPTIONS has none of its own. */
function ofEachMethod(verb: Verb): Record<string, Verb> {
  return { get: verb, create: verb, update: verb, patch: verb, delete: verb, options: verb };
}

/** These have a kind of their own, which is posted and answered and never listed. */
const postedOnly = new Set(["binding", "eviction", "token"]);

/** True where the answer can be had as a Table. */
export function hasTable({ subresource }: { subresource: string }): boolean {
  return !postedOnly.has(subresource);
}

/** Without a key to sign with there are no tokens, and so no such subresource. */
function answerToken(context: ServerContext, call: ResourceCall): ApiResponse {
  if (context.tokens === undefined) throw pathNotFound();
  return createToken(context, call, context.tokens);
}

/** @throws ApiError NotFound when the kind has no such subresource, MethodNotAllowed when it is not for this verb. */
export function subresourceHandler(table: SubresourceTable, call: ResourceCall): Verb {
  const { subresource, verb } = call.info;
  if (call.resource.subresources?.includes(subresource) !== true) throw pathNotFound();
  const handler = table[subresource]?.[verb];
  if (handler === undefined) throw methodNotAllowed();
  return handler;
}

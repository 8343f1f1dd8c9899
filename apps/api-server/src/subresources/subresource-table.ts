import {
  Binding,
  binding,
  Eviction,
  eviction,
  type KindVerb,
  Scale,
  scale,
  TokenRequest,
  tokenRequest,
} from "@kintsugi/api";
import type { ApiResponse } from "../http/api-request.ts";
import { methodNotAllowed, pathNotFound } from "../http/refusals.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { SubresourceDescription } from "../resources/subresource.ts";
import type { ServerContext } from "../server-context.ts";
import { get } from "../verbs/get.ts";
import { patch } from "../verbs/patch.ts";
import { update } from "../verbs/update.ts";
import type { BackendDialer } from "../proxy/backend-dialer.ts";
import { createProxy } from "../proxy/proxy.ts";
import { createBinding } from "./binding.ts";
import { createEviction } from "./eviction.ts";
import { createConnect } from "./connect.ts";
import type { KubeletDialer } from "../kubelet/kubelet-dialer.ts";
import { getLog } from "./log.ts";
import { connectNodeProxy } from "./node-proxy.ts";
import { createRestart } from "./restart.ts";
import { getScale, updateScale } from "./scale.ts";
import { createToken } from "./token.ts";

/** Answers one verb on a resource or subresource. @throws ApiError */
export type Verb = (context: ServerContext, call: ResourceCall) => ApiResponse | Promise<ApiResponse>;

/**
 * One subresource: its path in URLs, its bodies, and a handler for each verb. Kinds list their
 * subresources by name.
 */
export interface Subresource extends SubresourceDescription {
  readonly handlers: Handlers;
}

type Handlers = Readonly<Partial<Record<KindVerb, Verb>>>;

/** The dialers for nodes and pods; without a dialer its subresources do not work. */
interface Dialers {
  kubelets?: KubeletDialer | undefined;
  backends?: BackendDialer | undefined;
}

/**
 * The only table of subresources. Routing, discovery, OpenAPI and protobuf bodies are made from it.
 */
export function createSubresources({ kubelets: dialer, backends }: Dialers): readonly Subresource[] {
  /** Another URL of the object itself. */
  const own = { get, patch, update };
  const { exec, attach, portforward } = createConnect(dialer);
  const proxies = createProxy(backends);
  return [
    subresource("status", own),
    subresource("approval", own),
    subresource("ephemeralcontainers", own),
    subresource("resize", own),
    subresource("finalize", { update }),
    subresource(
      "scale",
      { get: getScale, patch: updateScale, update: updateScale },
      { body: { type: scale, schema: Scale }, timelessOwners: true },
    ),
    subresource("binding", { create: createBinding }, { body: { type: binding, schema: Binding } }),
    subresource("eviction", { create: createEviction }, { body: { type: eviction, schema: Eviction } }),
    subresource("token", { create: answerToken }, { body: { type: tokenRequest, schema: TokenRequest } }),
    subresource("restart", { create: createRestart }),
    subresource("log", { get: (context, call) => getLog(context, call, dialer) }, { body: { stream: true } }),
    subresource(
      "proxy",
      ofEachMethod((context, call) => {
        const { resource } = call.resource.type;
        if (resource === "pods" || resource === "services") return proxies[resource](context, call);
        return connectNodeProxy(context, call, dialer);
      }),
      { body: { stream: true, optionsKind: (kind) => `${kind}ProxyOptions` } },
    ),
    // A WebSocket request is a GET, and a SPDY request is a POST.
    subresource("exec", { create: exec, get: exec }, { body: { stream: true, optionsKind: "PodExecOptions" } }),
    subresource("attach", { create: attach, get: attach }, { body: { stream: true, optionsKind: "PodAttachOptions" } }),
    subresource(
      "portforward",
      { create: portforward, get: portforward },
      { body: { stream: true, optionsKind: "PodPortForwardOptions" } },
    ),
  ];
}

function subresource(
  name: string,
  handlers: Handlers,
  more: Pick<SubresourceDescription, "body" | "timelessOwners"> = {},
): Subresource {
  return { name, verbs: Object.keys(handlers) as KindVerb[], handlers, ...more };
}

/** The verbs that correspond to a request's method, in discovery's order. */
function ofEachMethod(verb: Verb): Handlers {
  return { create: verb, delete: verb, get: verb, patch: verb, update: verb };
}

/** These subresources have their own kinds, which are posted and answered and never listed. */
const postedOnly = new Set(["binding", "eviction", "token"]);

/** True where the answer can be a Table. */
export function hasTable({ subresource }: { subresource: string }): boolean {
  return !postedOnly.has(subresource);
}

/** Tokens, and therefore this subresource, require a signing key. */
function answerToken(context: ServerContext, call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  if (context.tokens === undefined) throw pathNotFound();
  return createToken(context, call, context.tokens);
}

/**
 * @throws ApiError NotFound when the kind does not have the subresource, MethodNotAllowed when the
 * subresource does not support the verb.
 */
export function subresourceHandler(table: ReadonlyMap<string, Subresource>, call: ResourceCall): Verb {
  const { subresource: name, behindProxy } = call.info;
  // OPTIONS has no verb of its own. It is forwarded to the server behind a proxy like every other
  // method.
  const verb = behindProxy !== undefined && call.info.verb === "options" ? "get" : call.info.verb;
  if (!call.resource.subresources.has(name)) throw pathNotFound();
  const handlers = table.get(name)?.handlers ?? {};
  const handler = Object.hasOwn(handlers, verb) ? handlers[verb as KindVerb] : undefined;
  if (handler === undefined) throw methodNotAllowed();
  return handler;
}

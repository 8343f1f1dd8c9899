import { ApiError, badRequest, internalError, type Pod } from "@kintsugi/api";
import { type ApiResponse, bytesResponse } from "../http/api-request.ts";
import { authorize } from "../request/authorize.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { ServerContext } from "../server-context.ts";
import { admitConnect, streamOptionsOf } from "../writes/admit-connect.ts";
import { type KubeletDialer, type KubeletResponse, readErrorText } from "../kubelet/kubelet-dialer.ts";
import { findKubelet, getPod, pickContainer } from "./pod-location.ts";
import { StreamCounts } from "./stream-counts.ts";

/** The client's headers about the requested protocol; its credentials are not forwarded. */
const forwardedHeaders = [
  "upgrade",
  "x-stream-protocol-version",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
  "sec-websocket-extensions",
];

export type ConnectVerb = (context: ServerContext, call: ResourceCall) => Promise<ApiResponse>;

/**
 * exec, attach and portforward: the caller's connection is joined to a connection to the kubelet of
 * the pod's node, which implements the requested protocol. The server does not interpret the bytes.
 */
export function createConnect(
  dialer: KubeletDialer | undefined,
): Readonly<Record<"exec" | "attach" | "portforward", ConnectVerb>> {
  const counts = new StreamCounts();
  const connect = async (context: ServerContext, call: ResourceCall, admit: Admit): Promise<ApiResponse> => {
    assertMayConnect(context, call);
    const askedOf = await admit(context, call);
    const pod = getPod(context, call.info);
    const { path, containerName } = askedOf(pod);
    if (dialer === undefined) throw internalError("this server cannot reach kubelets");
    const { request } = call;
    const target = findKubelet(context, nodeOf(pod, call));
    const headers = { connection: "Upgrade", ...pickHeaders(request.headers) };
    const giveBack = counts.take({ podUid: pod.metadata.uid ?? "", containerName });
    const asked = { method: request.method, path, headers };
    const answer = await dialer.upgrade(target, asked, request.signal).catch((error: unknown) => {
      giveBack();
      throw error;
    });
    if (!answer.upgraded) {
      giveBack();
      return passOn(answer.response);
    }
    answer.tunnel.socket.once("close", giveBack);
    return { status: 101, headers: { ...answer.headers }, body: new Uint8Array(), tunnel: answer.tunnel };
  };
  return {
    exec: (context, call) => connect(context, call, admitExec),
    attach: (context, call) => connect(context, call, admitAttach),
    portforward: (context, call) => connect(context, call, admitPortForward),
  };
}

/** A stream's path at the kubelet. A port-forward has no container. */
type AskedStream = { readonly path: string; readonly containerName: string | undefined };
type Admit = (context: ServerContext, call: ResourceCall) => Promise<(pod: Pod) => AskedStream>;
type StreamOptions = Awaited<ReturnType<typeof admitConnect<"PodExecOptions">>>;

async function admitExec(context: ServerContext, call: ResourceCall): Promise<(pod: Pod) => AskedStream> {
  const options = await admitConnect(context, call, { kind: "PodExecOptions", options: streamOptionsOf(call) });
  return (pod) => commandPath(pod, options, "exec");
}

async function admitAttach(context: ServerContext, call: ResourceCall): Promise<(pod: Pod) => AskedStream> {
  const { command: _, ...asked } = streamOptionsOf(call);
  const options = await admitConnect(context, call, { kind: "PodAttachOptions", options: asked });
  return (pod) => commandPath(pod, options, "attach");
}

async function admitPortForward(context: ServerContext, call: ResourceCall): Promise<(pod: Pod) => AskedStream> {
  const asked = { metadata: {}, ports: call.info.query.getAll("ports") };
  const options = await admitConnect(context, call, { kind: "PodPortForwardOptions", options: asked });
  return ({ metadata }) => {
    const forwarded = new URLSearchParams((options.ports ?? []).map((port): [string, string] => ["port", port]));
    const words = ["portForward", metadata.namespace ?? "", metadata.name ?? ""];
    return { path: pathOf(words, forwarded), containerName: undefined };
  };
}

/** /exec/default/web/main?command=ls&output=1, as the kubelet expects it. @throws ApiError */
function commandPath(pod: Pod, options: StreamOptions, kind: "exec" | "attach"): AskedStream {
  const { namespace = "", name = "" } = pod.metadata;
  const containerName = pickContainer(pod, options.container ?? "");
  const forwarded = new URLSearchParams();
  if (options.stdin === true) forwarded.set("input", "1");
  if (options.stdout === true) forwarded.set("output", "1");
  if (options.stderr === true) forwarded.set("error", "1");
  if (options.tty === true) forwarded.set("tty", "1");
  for (const word of options.command ?? []) forwarded.append("command", word);
  return { path: pathOf([kind, namespace, name, containerName], forwarded), containerName };
}

function pathOf(words: readonly string[], query: URLSearchParams): string {
  return `/${words.map(encodeURIComponent).join("/")}?${query.toString()}`;
}

/**
 * A WebSocket request can only be a GET, so the right to "get" alone would give access to
 * containers. As in upstream since 1.35, the caller also needs the right to "create", as for SPDY's
 * POST.
 * @throws ApiError
 */
function assertMayConnect(context: ServerContext, { request, info, user }: ResourceCall): void {
  if (request.upgrade === undefined) throw badRequest("Upgrade request required");
  if (info.verb !== "create") authorize(context.authorizer, user, { ...info, verb: "create" });
}

function nodeOf(pod: Pod, { info }: ResourceCall): string {
  const nodeName = pod.spec?.nodeName ?? "";
  if (nodeName === "") throw badRequest(`pod ${info.name} does not have a host assigned`);
  return nodeName;
}

function pickHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of forwardedHeaders) {
    const value = headers[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/**
 * Forwards the kubelet's error unchanged; kubectl shows it after "unable to upgrade connection:".
 */
async function passOn({ status, body }: KubeletResponse): Promise<ApiResponse> {
  const text = await readErrorText(body);
  if (status < 400) throw new ApiError("InternalError", `the kubelet answered with status ${status} to an upgrade`);
  return bytesResponse(status, Buffer.from(text), "text/plain; charset=utf-8");
}

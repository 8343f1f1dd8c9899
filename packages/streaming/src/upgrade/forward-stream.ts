import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { createWebSocketStream } from "ws";
import {
  acceptWebSocket,
  isWebSocketUpgrade,
  offeredProtocols,
  type UpgradeRequest,
} from "../websocket/accept-web-socket.ts";
import { type RemoteCommandOptions, remoteCommandV5, translateRemoteCommand } from "../websocket/remote-command.ts";
import { dialUpgrade, headerLines, streamIdleTimeoutMs, type UpgradeAnswer } from "./dial-upgrade.ts";
import { breakWhenIdle, joinUpgraded, relay } from "./relay.ts";

export interface ForwardStreamOptions {
  /** The one-time address on the runtime's streaming server: "http://127.0.0.1:34711/exec/…". */
  url: string;
  /** The streams of a command; absent for port-forwards. */
  command?: RemoteCommandOptions;
  /** Aborts when the client has disconnected. */
  signal: AbortSignal;
  /** The runtime has ended the stream by itself, or has refused it. */
  onRuntimeEnd?: () => void;
}

type Upgraded = UpgradeAnswer & { upgraded: true };

/** The protocol to runtimes. v5 differs from it only in how the WebSocket ends stdin. */
const runtimeProtocol = "v4.channel.k8s.io";
/**
 * "SPDY/3.1+portforward.k8s.io": the bytes of a SPDY connection, in the messages of a WebSocket.
 */
const tunnelPrefix = "SPDY/3.1+";
/** Maximum length of a refusal that is passed on. */
const refusalBytesMax = 4096;

/**
 * Connects a client's upgrade to a runtime's streaming server. Runtimes support SPDY/3.1 and
 * WebSocket up to v4, which pass through unchanged; newer protocols are translated. Resolves when
 * the upgrade is connected or refused.
 * @throws when the runtime cannot be reached.
 */
export async function forwardStream(upgrade: UpgradeRequest, options: ForwardStreamOptions): Promise<void> {
  const offered = isWebSocketUpgrade(upgrade.request) ? offeredProtocols(upgrade.request) : [];
  const tunnel = offered.find((protocol) => protocol.startsWith(tunnelPrefix));
  if (options.command !== undefined && offered.includes(remoteCommandV5)) {
    const runtime = await dialSpdy(upgrade, options, runtimeProtocol);
    if (runtime === undefined) return;
    const webSocket = await acceptWebSocket(upgrade, remoteCommandV5);
    await translateRemoteCommand(webSocket, runtime, { ...options.command, onEnd: options.onRuntimeEnd });
  } else if (options.command === undefined && tunnel !== undefined) {
    const runtime = await dialSpdy(upgrade, options, tunnel.slice(tunnelPrefix.length));
    if (runtime === undefined) return;
    const stream = createWebSocketStream(await acceptWebSocket(upgrade, tunnel));
    if (runtime.head.byteLength > 0) stream.write(runtime.head);
    relay(stream, runtime.socket);
  } else {
    await passThrough(upgrade, options);
  }
}

function dialSpdy(
  upgrade: UpgradeRequest,
  options: ForwardStreamOptions,
  protocol: string,
): Promise<Upgraded | undefined> {
  return dialRuntime(upgrade, options, {
    method: "POST",
    headers: { upgrade: "SPDY/3.1", "x-stream-protocol-version": [protocol] },
  });
}

async function passThrough(upgrade: UpgradeRequest, options: ForwardStreamOptions): Promise<void> {
  const { request } = upgrade;
  const headers: OutgoingHttpHeaders = { upgrade: request.headers.upgrade };
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith("sec-websocket-")) headers[name] = value;
  }
  // One line for each version, because runtimes' older libraries do not parse commas.
  const versions = request.headers["x-stream-protocol-version"];
  if (typeof versions === "string")
    headers["x-stream-protocol-version"] = versions.split(",").map((each) => each.trim());
  const runtime = await dialRuntime(upgrade, options, { method: request.method ?? "GET", headers });
  if (runtime !== undefined) joinUpgraded(upgrade, runtime);
}

/** Undefined when the runtime refused, and the client has been answered. */
async function dialRuntime(
  upgrade: UpgradeRequest,
  { url, signal, onRuntimeEnd = () => {} }: ForwardStreamOptions,
  { method, headers }: { method: string; headers: OutgoingHttpHeaders },
): Promise<Upgraded | undefined> {
  const request = httpRequest(url, { method, headers: { ...headers, connection: "Upgrade" }, agent: false });
  const answer = await dialUpgrade(request, { signal });
  if (!answer.upgraded) {
    onRuntimeEnd();
    await refuse(upgrade, answer.response);
    return undefined;
  }
  answer.socket.once("end", onRuntimeEnd);
  breakWhenIdle(upgrade.socket as Socket, streamIdleTimeoutMs);
  return answer;
}

async function refuse({ socket }: UpgradeRequest, response: IncomingMessage): Promise<void> {
  let body = Buffer.alloc(0);
  for await (const chunk of response) {
    body = Buffer.concat([body, chunk as Buffer]).subarray(0, refusalBytesMax);
    if (body.byteLength === refusalBytesMax) break;
  }
  const asked = response.statusCode ?? 500;
  // A status that is not a refusal cannot be passed on, because clients do not follow a redirect of
  // the runtime.
  const status = asked >= 400 ? asked : 502;
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "content-length": String(body.byteLength),
    connection: "close",
  };
  socket.write(headerLines(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, headers));
  socket.end(body);
}

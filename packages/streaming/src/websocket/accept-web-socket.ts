import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";

/** An HTTP server's event for a request with an upgrade. */
export interface UpgradeRequest {
  request: IncomingMessage;
  socket: Duplex;
  /** Bytes that were already read, after the request. */
  head: Buffer;
}

/**
 * Maximum size of a message. kubectl sends 32 KiB at a time; the largest known sender, the
 * JavaScript client, sends files in one piece.
 */
const messageBytesMax = 16 * 1024 * 1024;

/**
 * Time in which a client that has received the end may read the bytes that are still in flight
 * (upstream's finishTimeout). Closing immediately would cut off the output of a client that is
 * slower than its command.
 */
const closeTimeoutMs = 15 * 60 * 1000;

const chosenProtocols = new WeakMap<IncomingMessage, string>();

// The types do not have closeTimeout yet.
const serverOptions: ServerOptions & { closeTimeout: number } = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: messageBytesMax,
  closeTimeout: closeTimeoutMs,
};
const server = new WebSocketServer(serverOptions);
server.on("headers", (headers, request) => {
  const protocol = chosenProtocols.get(request);
  if (protocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
});

/** The subprotocols that a client offers, in its order of preference. */
export function offeredProtocols(request: IncomingMessage): string[] {
  const offered = request.headers["sec-websocket-protocol"] ?? "";
  return offered
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

export function isWebSocketUpgrade(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * Answers a WebSocket's handshake with the chosen protocol; undefined for a client that did not
 * offer a protocol. A malformed handshake is refused here, and never resolves.
 */
export function acceptWebSocket(upgrade: UpgradeRequest, protocol: string | undefined): Promise<WebSocket> {
  const { request, socket, head } = upgrade;
  if (protocol !== undefined) chosenProtocols.set(request, protocol);
  // "SPDY/3.1+portforward.k8s.io" has a slash, which is invalid in a protocol's name, so `ws` would
  // refuse the handshake. The names are therefore hidden from `ws`, and the answer's header is
  // written above.
  delete request.headers["sec-websocket-protocol"];
  return new Promise((resolve) => server.handleUpgrade(request, socket, head, resolve));
}

import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { TLSSocket } from "node:tls";
import { badRequest } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { breakWhenIdle, headerLines, joinUpgraded, sendMessages, streamIdleTimeoutMs } from "@kintsugi/streaming";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest, ApiResponse, Handle } from "../http/api-request.ts";
import { errorResponse } from "../http/status.ts";
import { stallTimeoutMs, writeBody } from "./connections/write-body.ts";

export interface UpgradeRequest {
  request: IncomingMessage;
  socket: TLSSocket;
  /** Bytes that were read already, behind the request. */
  head: Buffer;
  identity: UserInfo | undefined;
  onCaller?: ((caller: UserInfo) => void) | undefined;
}

/**
 * Handles a request of HTTP/1.1 with an Upgrade header. It is answered like any other; when the
 * answer is to change the protocol, the connection is joined to the requested stream. Every other
 * answer is the connection's last.
 */
export async function upgradeConnection(
  { handle, clock }: { handle: Handle; clock: Pick<Clock, "after"> },
  upgrade: UpgradeRequest,
): Promise<void> {
  const { socket } = upgrade;
  const gone = new AbortController();
  socket.on("error", () => {});
  socket.once("close", () => gone.abort(new Error("the caller has gone")));
  const response = await answerTo(handle, upgrade, gone.signal);
  if (response.messages !== undefined) return sendMessages(upgrade, piecesOf(response.body), response.messages);
  if (response.tunnel === undefined) return writeLast(socket, response, clock);
  const { tunnel } = response;
  if (socket.destroyed) return void tunnel.socket.destroy();
  breakWhenIdle(socket, streamIdleTimeoutMs);
  joinUpgraded(upgrade, { ...tunnel, headers: response.headers });
}

async function* piecesOf(body: ApiResponse["body"]): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Uint8Array)) yield* body;
  else if (body.byteLength > 0) yield body;
}

async function answerTo(handle: Handle, upgrade: UpgradeRequest, signal: AbortSignal): Promise<ApiResponse> {
  const { request, identity, onCaller } = upgrade;
  const headers = request.headers as Record<string, string | undefined>;
  // Nothing is read behind the request: the bytes that follow belong to the new protocol.
  if (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0) {
    return errorResponse(badRequest("a request that asks for an upgrade cannot have a body"));
  }
  const apiRequest: ApiRequest = {
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers,
    rawHeaders: request.rawHeaders,
    remoteAddress: upgrade.socket.remoteAddress,
    identity,
    onCaller,
    upgrade: headers["upgrade"],
    signal,
  };
  return handle(apiRequest);
}

/** A client may take this long to close a connection whose last answer it has had. */
const lingerMs = 2_000;

async function writeLast(
  socket: TLSSocket,
  { status, headers, body }: ApiResponse,
  clock: Pick<Clock, "after">,
): Promise<void> {
  const length = body instanceof Uint8Array ? { "content-length": String(body.byteLength) } : {};
  socket.write(
    headerLines(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, { ...headers, ...length, connection: "close" }),
  );
  await writeBody(socket, body, { clock, stallMs: stallTimeoutMs });
  // Closed immediately, with bytes of the client unread, its kernel would throw the answer away.
  socket.resume();
  const linger = clock.after(lingerMs, () => socket.destroy());
  socket.once("close", () => linger.cancel());
}

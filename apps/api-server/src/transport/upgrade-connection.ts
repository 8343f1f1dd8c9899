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
  /** Bytes after the request that were already read. */
  head: Buffer;
  identity: UserInfo | undefined;
  onCaller?: ((caller: UserInfo) => void) | undefined;
}

/**
 * Handles an HTTP/1.1 request with an Upgrade header. The request is answered like any other
 * request. If the answer switches protocols, the connection is joined to the requested stream.
 * Every other answer is the last of its connection.
 */
export async function upgradeConnection(
  { handle, clock }: { handle: Handle; clock: Pick<Clock, "after"> },
  upgrade: UpgradeRequest,
): Promise<void> {
  const { socket } = upgrade;
  const gone = new AbortController();
  socket.on("error", () => {});
  socket.once("close", () => gone.abort(new Error("the caller has disconnected")));
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
  // Nothing is read after the request, because the bytes that follow belong to the new protocol.
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

/** Time that a client has to close a connection after its last answer. */
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
  // If the connection were closed immediately, with unread bytes of the client, the kernel would
  // discard the answer.
  socket.resume();
  const linger = clock.after(lingerMs, () => socket.destroy());
  socket.once("close", () => linger.cancel());
}

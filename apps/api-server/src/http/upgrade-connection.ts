import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { TLSSocket } from "node:tls";
import { badRequest } from "@kintsugi/api";
import { breakWhenIdle, headerLines, joinUpgraded, sendMessages, streamIdleTimeoutMs } from "@kintsugi/streaming";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest, ApiResponse, Handle } from "./api-request.ts";
import { errorResponse } from "./status.ts";

export interface UpgradeRequest {
  request: IncomingMessage;
  socket: TLSSocket;
  /** Bytes that were read already, behind the request. */
  head: Buffer;
  identity: UserInfo | undefined;
}

/**
 * A request of HTTP/1.1 with an Upgrade header. It is answered as any other; when the answer is to change the protocol, the
 * connection is joined to what it asked for. Every other answer is the connection's last.
 */
export async function upgradeConnection(handle: Handle, upgrade: UpgradeRequest): Promise<void> {
  const { socket } = upgrade;
  const gone = new AbortController();
  socket.on("error", () => {});
  socket.once("close", () => gone.abort(new Error("the caller has gone")));
  const response = await answerTo(handle, upgrade, gone.signal);
  if (response.messages !== undefined) return sendMessages(upgrade, piecesOf(response.body), response.messages);
  if (response.tunnel === undefined) return writeLast(socket, response);
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
  const { request, identity } = upgrade;
  const headers = request.headers as Record<string, string | undefined>;
  // Nothing is read behind the request: what follows belongs to the new protocol.
  if (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0) {
    return errorResponse(badRequest("a request that asks for an upgrade cannot have a body"));
  }
  const apiRequest: ApiRequest = {
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers,
    rawHeaders: request.rawHeaders,
    remoteAddress: request.socket.remoteAddress,
    identity,
    upgrade: headers["upgrade"],
    signal,
  };
  return handle(apiRequest);
}

async function writeLast(socket: TLSSocket, { status, headers, body }: ApiResponse): Promise<void> {
  const whole = body instanceof Uint8Array;
  const length = whole ? { "content-length": String(body.byteLength) } : {};
  socket.write(
    headerLines(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, { ...headers, ...length, connection: "close" }),
  );
  if (whole) socket.write(body);
  else for await (const chunk of body) if (!socket.destroyed) socket.write(chunk);
  socket.end();
}

import type { Duplex } from "node:stream";
import type { MessageForm } from "@kintsugi/streaming";
import type { UserInfo } from "../authorization/authorization.ts";
import type { AuditTrail } from "./audit-trail.ts";

/**
 * A request to the core of the server, from any transport: TLS or a call within the process
 * (`RequestHandler` of the client).
 */
export interface ApiRequest {
  method: string;
  /** The path of the request line, still encoded and with its query. */
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /**
   * Alternating names and values, as received. A header that was sent twice is here twice. Absent
   * where the request did not arrive over a network.
   */
  rawHeaders?: readonly string[] | undefined;
  body?: Uint8Array | undefined;
  /**
   * Reads a body that is still being sent, once the rights that the headers require have been
   * checked. `take` is called for the bytes before they are stored. When `refused` aborts, the
   * bytes are no longer stored. Rejects with an ApiError.
   */
  readBody?: ((take: (bytes: number) => void, refused?: AbortSignal) => Promise<Uint8Array>) | undefined;
  /**
   * The unread body as a stream, for a request that is forwarded to another server. It is read
   * instead of `readBody`, never in addition to it.
   */
  readonly bodyStream?: AsyncIterable<Uint8Array> | undefined;
  /**
   * The address of the connection's client; absent where the request did not arrive over a network.
   */
  remoteAddress?: string | undefined;
  /** The caller as the transport authenticated it; absent when the transport could not. */
  identity?: UserInfo | undefined;
  /**
   * Called with the authenticated caller as soon as it is known. After the call, the connection
   * counts as the connection of a known client.
   */
  onCaller?: ((caller: UserInfo) => void) | undefined;
  /**
   * The protocol to which the caller wants to upgrade its connection ("SPDY/3.1", "websocket");
   * absent where the connection cannot be upgraded.
   */
  upgrade?: string | undefined;
  /** The audit record of the request; absent where the request is not recorded. */
  readonly trail?: AuditTrail | undefined;
  /** Aborts when the caller has disconnected. */
  signal: AbortSignal;
}

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  /**
   * Each value is in a separate header, because the values of this header cannot be joined in one
   * line.
   */
  setCookies?: readonly string[];
  /**
   * The whole body, or a stream that is read as fast as the caller receives it (lists, watches,
   * logs).
   */
  body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Another server's answer. Its headers describe its bytes, and this server changes neither. */
  isPassedOn?: true;
  /** The whole body before it was written in protobuf or CBOR; the audit log reads it. */
  bodyAsJson?: Uint8Array;
  /** The form in which the body is sent to a client whose connection becomes a WebSocket. */
  messages?: MessageForm;
  /**
   * The stream to which the caller's connection is joined; present with status 101 and only then.
   */
  tunnel?: Tunnel;
}

export interface Tunnel {
  socket: Duplex;
  /** Bytes that were already read from the stream. */
  head: Uint8Array;
}

/** The whole API server as one function. It never rejects: an error is a response with a Status. */
export type Handle = (request: ApiRequest) => Promise<ApiResponse>;

export const jsonContentType = "application/json";

export function jsonResponse(status: number, value: unknown): ApiResponse {
  return bytesResponse(status, Buffer.from(JSON.stringify(value)));
}

export function bytesResponse(status: number, body: Uint8Array, contentType: string = jsonContentType): ApiResponse {
  return { status, headers: { "content-type": contentType }, body };
}

export function textResponse(status: number, text: string): ApiResponse {
  return bytesResponse(status, Buffer.from(text), "text/plain; charset=utf-8");
}

/** The whole body as text; for callers within the process. */
export async function readAnswer(response: ApiResponse): Promise<string> {
  if (response.body instanceof Uint8Array) return Buffer.from(response.body).toString("utf8");
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

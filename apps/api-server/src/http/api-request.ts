import type { Duplex } from "node:stream";
import type { MessageForm } from "@kintsugi/streaming";
import type { UserInfo } from "../authorization/authorization.ts";
import type { AuditTrail } from "./audit-trail.ts";

/**
 * A request as the core sees it, from any transport: TLS, or a call within the process
 * (`RequestHandler` of the client).
 */
export interface ApiRequest {
  method: string;
  /** The path as on the request line: still encoded, with its query. */
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /**
   * Name and value in turn, as they came: here a header that was sent twice is there twice. Absent
   * where nothing came over a network.
   */
  rawHeaders?: readonly string[] | undefined;
  body?: Uint8Array | undefined;
  /**
   * Reads a body that is still on its way, once its caller has the rights that the headers require.
   * `take` is called for the bytes before they are kept. Rejects with an ApiError.
   */
  readBody?: ((take: (bytes: number) => void) => Promise<Uint8Array>) | undefined;
  /**
   * The same body as it comes, for a request that is passed on to another server; read instead of
   * `readBody`, never beside it.
   */
  readonly bodyStream?: AsyncIterable<Uint8Array> | undefined;
  /** The address that the connection comes from; absent where nothing came over a network. */
  remoteAddress?: string | undefined;
  /** The caller as the transport identified it; absent when it could not. */
  identity?: UserInfo | undefined;
  /**
   * Called with the caller that a request has shown to come from, as soon as that is known: its
   * connection then counts as a known client's.
   */
  onCaller?: ((caller: UserInfo) => void) | undefined;
  /**
   * The protocol to which the caller wants to upgrade its connection ("SPDY/3.1", "websocket");
   * absent where the connection cannot be upgraded.
   */
  upgrade?: string | undefined;
  /** The record of the request; absent where nothing of it is recorded. */
  readonly trail?: AuditTrail | undefined;
  /** Aborts when the caller has gone. */
  signal: AbortSignal;
}

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  /** One header each: they cannot be joined to one line as others can. */
  setCookies?: readonly string[];
  /** All of it, or a stream that is read as fast as the caller takes it (lists, watches, logs). */
  body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Another server's answer: its headers describe its bytes, and nothing here changes either. */
  isPassedOn?: true;
  /** The whole body before it was written in protobuf or CBOR; the record of requests reads it. */
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
  /** Bytes that were read from it already. */
  head: Uint8Array;
}

/**
 * The whole API server behind one function. It never rejects: a refusal is a response that carries
 * a Status.
 */
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

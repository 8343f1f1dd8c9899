import { ApiError } from "@kintsugi/api";
import type { Tunnel } from "../http/api-request.ts";

/** A server of a pod. */
export interface BackendTarget {
  scheme: "http" | "https";
  /** An address, never a name, because names are not resolved. */
  address: string;
  port: number;
  /** Absent: the server's certificate is not verified, and no client certificate is presented. */
  tls?: BackendTls;
}

/** The parameters by which two servers authenticate each other. */
interface BackendTls {
  /** The name in the server's certificate. */
  serverName: string;
  /** Authorities of the server's certificate, PEM; undefined for the authorities of the machine. */
  ca: string | undefined;
  /** True where the server's certificate is not verified. */
  insecure: boolean;
  /** The certificate and key that this server presents, PEM. */
  identity: { readonly cert: string; readonly key: string } | undefined;
}

export interface BackendRequest {
  method: string;
  /** The path with its query, unchanged on the request line. */
  path: string;
  /** A list represents a header that is sent once for each of its values. */
  headers: Readonly<Record<string, string | string[]>>;
  body: AsyncIterable<Uint8Array> | Uint8Array | undefined;
}

/** Headers as a server sent them, names in lower case. */
export type BackendHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface BackendResponse {
  status: number;
  headers: BackendHeaders;
  /** Read as fast as the client receives it. */
  body: AsyncIterable<Uint8Array>;
  /** Resolves when its connection is closed, whether the body was read or not. */
  closed: Promise<void>;
}

type BackendUpgrade =
  | { upgraded: true; headers: BackendHeaders; tunnel: Tunnel }
  | { upgraded: false; response: BackendResponse };

/** Connects to servers that run in pods. */
export interface BackendDialer {
  /** @throws ApiError when the address may not be dialed, or no server answers there. */
  send(target: BackendTarget, request: BackendRequest, signal: AbortSignal): Promise<BackendResponse>;
  /**
   * Requests a protocol upgrade of the connection.
   * @throws ApiError as `send` does.
   */
  upgrade(target: BackendTarget, request: BackendRequest, signal: AbortSignal): Promise<BackendUpgrade>;
}

/** Upstream's words for a server that does not answer. */
export function unreachableBackend(why: string, cause?: unknown): ApiError {
  return new ApiError("ServiceUnavailable", `error trying to reach service: ${why}`, { cause });
}

import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { type BlockList, isIP, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { badRequest } from "@kintsugi/api";
import { dialUpgrade, streamIdleTimeoutMs } from "@kintsugi/streaming";
import { refusedAddresses } from "../kubelet/kubelet-tls-dialer.ts";
import {
  type BackendDialer,
  type BackendRequest,
  type BackendResponse,
  type BackendTarget,
  unreachableBackend,
} from "./backend-dialer.ts";

export interface BackendDialerOptions {
  /** Addresses of this server itself, which no pod may claim. */
  ownAddresses: readonly string[];
  /** Addresses that are not dialed; default `refusedAddresses(ownAddresses)`. */
  refused?: BlockList;
}

/**
 * Longest time for establishing a connection (upstream's dial timeout). An answer may take longer,
 * because its duration depends on the server.
 */
const connectTimeoutMs = 30_000;
/** Idle time after which TCP sends keep-alive probes; Go's value. */
const keepAliveMs = 15_000;
/**
 * The limit on an answer's headers: several times the size that servers send and clients accept.
 */
const headerBytesMax = 64 * 1024;

/**
 * Connects to servers of pods only by their addresses. Names are not resolved, redirects are not
 * followed, and addresses in a pod's status that would reach another server (loopback, link-local,
 * this server) are rejected. Like upstream, the dialer does not present a certificate and accepts
 * any certificate, because pods have no certificate from a known authority.
 */
export function createBackendHttpDialer(options: BackendDialerOptions): BackendDialer {
  const refused = options.refused ?? refusedAddresses(options.ownAddresses);
  return {
    send: async (target, request, signal) => {
      assertAllowed(target, refused);
      return send(target, request, signal);
    },
    upgrade: async (target, request, signal) => {
      assertAllowed(target, refused);
      try {
        const outgoing = open(target, request);
        const answer = await dialUpgrade(outgoing, { signal, timeoutMs: connectTimeoutMs });
        if (!answer.upgraded) return { upgraded: false, response: toResponse(outgoing, answer.response, signal) };
        const { headers, socket, head } = answer;
        return { upgraded: true, headers, tunnel: { socket, head } };
      } catch (error) {
        throw unreachableBackend((error as Error).message, error);
      }
    },
  };
}

/** @throws ApiError */
function assertAllowed({ address, port }: BackendTarget, refused: BlockList): void {
  const family = isIP(address);
  const isAllowed = family !== 0 && !refused.check(address, family === 4 ? "ipv4" : "ipv6");
  if (!isAllowed) throw badRequest("address not allowed");
  if (port < 1 || port > 65535) throw unreachableBackend(`dial tcp: address ${port}: invalid port`);
}

function send(target: BackendTarget, request: BackendRequest, signal: AbortSignal): Promise<BackendResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = open(target, request);
    destroyOnAbort(outgoing, signal);
    outgoing.on("socket", (socket) => limitTime(socket, target));
    outgoing.on("error", (error) => reject(unreachableBackend(error.message, error)));
    outgoing.on("response", (response) => resolve(toResponse(outgoing, response)));
    // A partial body must not look like a complete body.
    writeBody(outgoing, request).catch((error: unknown) => outgoing.destroy(error as Error));
  });
}

async function writeBody(outgoing: ClientRequest, { body }: BackendRequest): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) return void outgoing.end(body);
  await pipeline(body, outgoing);
}

function open(target: BackendTarget, { method, path, headers: given, body }: BackendRequest): ClientRequest {
  const headers: Record<string, string | string[]> = { ...given };
  if (body instanceof Uint8Array) headers["content-length"] = String(body.byteLength);
  // Node would write a body of unknown length after a DELETE without any framing.
  else if (body !== undefined && headers["content-length"] === undefined) headers["transfer-encoding"] = "chunked";
  const options: RequestOptions = {
    host: target.address,
    port: target.port,
    method,
    path,
    headers,
    agent: false,
    // The client's own header is among the headers.
    setHost: headers["host"] === undefined,
    maxHeaderSize: headerBytesMax,
  };
  if (target.scheme === "http") return httpRequest(options);
  const { tls } = target;
  // A server is identified by its address, which its certificate does not contain.
  if (tls === undefined) return httpsRequest({ ...options, rejectUnauthorized: false, servername: "" });
  const { ca, identity, insecure, serverName } = tls;
  return httpsRequest({
    ...options,
    ...identity,
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: !insecure,
    servername: serverName,
  });
}

/**
 * Closes a connection that is not established in time or that is idle for long afterwards. An
 * answer may take long.
 */
function limitTime(socket: Socket, { scheme }: BackendTarget): void {
  let limitMs = connectTimeoutMs;
  socket.setTimeout(limitMs);
  socket.on("timeout", () => socket.destroy(new Error(`no data arrived within ${limitMs / 1000} s`)));
  socket.once(scheme === "https" ? "secureConnect" : "connect", () => {
    limitMs = streamIdleTimeoutMs;
    socket.setTimeout(limitMs);
    socket.setKeepAlive(true, keepAliveMs);
  });
}

function destroyOnAbort(outgoing: ClientRequest, signal: AbortSignal): void {
  const abort = () => outgoing.destroy(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  outgoing.once("close", () => signal.removeEventListener("abort", abort));
}

/** A signal is required if nothing else closes the connection of a disconnected client. */
function toResponse(outgoing: ClientRequest, response: IncomingMessage, signal?: AbortSignal): BackendResponse {
  const closed = new Promise<void>((resolve) => outgoing.once("close", resolve));
  // The reader detects the error in the body.
  outgoing.on("error", () => {});
  if (signal !== undefined) destroyOnAbort(outgoing, signal);
  return { status: response.statusCode ?? 502, headers: response.headers, body: response, closed };
}

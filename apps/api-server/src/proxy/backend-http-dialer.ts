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
  /** Addresses that are not dialled; default `refusedAddresses(ownAddresses)`. */
  refused?: BlockList;
}

/**
 * A connection may take this long to be made (upstream's dial timeout). An answer may take longer:
 * that is its server's affair.
 */
const connectTimeoutMs = 30_000;
/** TCP probes the other end after this much silence; Go's value. */
const keepAliveMs = 15_000;
/**
 * The limit on an answer's headers: several times the size that servers send and clients accept.
 */
const headerBytesMax = 64 * 1024;

/**
 * Reaches servers of pods by their addresses and nothing else: no name is resolved, no redirect
 * followed, and addresses in a pod's status that would reach something else (loopback, link-local,
 * this server) are refused. Like upstream, it presents no certificate and accepts any: pods have
 * none from an authority that is known here.
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
    // Half of a body must not look like all of it.
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
  // Node would write a body of unknown length behind a DELETE without any frame.
  else if (body !== undefined && headers["content-length"] === undefined) headers["transfer-encoding"] = "chunked";
  const options: RequestOptions = {
    host: target.address,
    port: target.port,
    method,
    path,
    headers,
    agent: false,
    // The client's own stands among the headers.
    setHost: headers["host"] === undefined,
    maxHeaderSize: headerBytesMax,
  };
  if (target.scheme === "http") return httpRequest(options);
  const { tls } = target;
  // A server is known by its address, which is in no certificate.
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
 * Gives up a connection that is not established soon, or that is silent for long afterwards; an
 * answer may take its time.
 */
function limitTime(socket: Socket, { scheme }: BackendTarget): void {
  let limitMs = connectTimeoutMs;
  socket.setTimeout(limitMs);
  socket.on("timeout", () => socket.destroy(new Error(`nothing came within ${limitMs / 1000} s`)));
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

/** `signal` where nothing else closes the connection of a client that no longer exists. */
function toResponse(outgoing: ClientRequest, response: IncomingMessage, signal?: AbortSignal): BackendResponse {
  const closed = new Promise<void>((resolve) => outgoing.once("close", resolve));
  // It is in the body that a reader learns of it.
  outgoing.on("error", () => {});
  if (signal !== undefined) destroyOnAbort(outgoing, signal);
  return { status: response.statusCode ?? 502, headers: response.headers, body: response, closed };
}

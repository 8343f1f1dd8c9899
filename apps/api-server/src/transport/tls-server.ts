import type { IncomingMessage, ServerResponse } from "node:http";
import {
  constants,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import { ApiError, badRequest, type Logger, unsupportedMediaType } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { explainListening, type ServerTls, serverSecureContext } from "@kintsugi/daemon";
import fastify, {
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type RouteGenericInterface,
} from "fastify";
import {
  type CertifiedConnection,
  type CertifiedIdentity,
  certifiedIdentityOf,
} from "../authentication/client-certificate.ts";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest, ApiResponse, Handle } from "../http/api-request.ts";
import { endsSoon, readBody } from "../http/bodies/read-body.ts";
import { hasBody, methodsWithBody, unreadBody } from "../request/request-body.ts";
import type { ConnectionGuard, GuardedServer } from "./connections/connection-guard.ts";
import { errorResponse } from "../http/status.ts";
import { ConnectionCut, CutStreams } from "./connections/connection-cut.ts";
import { upgradeConnection } from "./upgrade-connection.ts";
import { type BodyWriter, isOver, stallTimeoutMs, unwatchedBytesMax, writeBody } from "./connections/write-body.ts";

type Request = FastifyRequest<RouteGenericInterface, Http2SecureServer>;
type Reply = FastifyReply<RouteGenericInterface, Http2SecureServer>;

export interface TlsServerDeps {
  /** Resets the client's connection where it throws ConnectionCut. */
  handle: Handle;
  clock: Clock;
  log: Logger;
  /** Called with the remaining validity of the certificate of a request's client. */
  certificateSeen?: ((secondsLeft: number) => void) | undefined;
  /** Limits connections; shared by all the servers of a process. */
  guard: ConnectionGuard;
}

export interface TlsServerOptions {
  bindAddress: string;
  /** 0 selects a free port. */
  port: number;
  /** The flag that sets the port, for messages. Default "--secure-port". */
  portFlag?: string | undefined;
  tls: ServerTls;
  /**
   * Limit of concurrent requests of one HTTP/2 connection. Default 100, upstream's value, which
   * Go's clients assume initially.
   */
  streamsPerConnectionMax?: number | undefined;
  /** A connection without a request is closed after this long. Default 90 s, upstream's value. */
  idleTimeoutMs?: number | undefined;
}

export interface TlsServer extends AsyncDisposable {
  /** Takes effect for new connections. */
  setSecureContext(context: SecureContextOptions): void;
  readonly port: number;
}

/** The time limit for receiving headers, so that slow senders do not hold connections. */
const headersTimeoutMs = 20_000;
/** The time limit for receiving whole requests; answers may take as long as they like. */
const requestTimeoutMs = 60_000;
/**
 * The time after which an idle HTTP/1.1 or HTTP/2 connection is closed. An HTTP/2 connection then
 * does not accept new requests, and closes after its current requests. Upstream's value.
 */
const idleTimeoutDefaultMs = 90_000;
/** Interval at which the time limits of HTTP/1.1 connections are enforced. */
const connectionsCheckingIntervalMs = 5_000;
/**
 * The command of an exec is part of the request line: one argument may have 128 KiB, and more in a
 * URL's encoding.
 */
const maxHeaderSize = 256 * 1024;
const streamsPerConnectionDefault = 100;

/**
 * Receives requests over TLS, HTTP/2 or HTTP/1.1, and passes them to `handle`. Authenticates
 * callers by their client certificates.
 */
export async function listenTls(deps: TlsServerDeps, options: TlsServerOptions): Promise<TlsServer> {
  const app = createApp(deps, options);
  const sockets = new Set<TLSSocket>();
  app.server.on("secureConnection", (socket: TLSSocket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Clients reset connections for reasons of their own; without a listener the error would end
    // the process.
    socket.on("error", () => {});
  });
  Object.assign(app.server, {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Neither Node's nor fastify's options apply to the HTTP/1.1 side of an HTTP/2 server. Without
    // a value here idle connections last forever on Node 20 and 22, and 6 s on 24.
    keepAliveTimeout: options.idleTimeoutMs ?? idleTimeoutDefaultMs,
    connectionsCheckingInterval: connectionsCheckingIntervalMs,
    maxHeaderSize,
  });
  try {
    await app.listen({ host: options.bindAddress, port: options.port });
  } catch (error) {
    const { bindAddress: address, port, portFlag = "--secure-port" } = options;
    throw explainListening(error, { address, port, otherwise: `choose another port with ${portFlag}` });
  }
  const { port } = app.server.address() as AddressInfo;
  deps.log.info("serving", { address: options.bindAddress, port });
  return {
    port,
    setSecureContext: (context) => app.server.setSecureContext(context),
    [Symbol.asyncDispose]: async () => {
      const closed = app.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function createApp(deps: TlsServerDeps, options: TlsServerOptions) {
  const app = fastify({
    http2: true,
    https: {
      allowHTTP1: true,
      // Node sets this by default only for servers that support HTTP/1.1 alone. Without it, each
      // piece of an answer waits up to 40 ms until the client has acknowledged the previous piece.
      noDelay: true,
      ...serverSecureContext(options.tls),
      requestCert: true,
      // A client without a certificate may still read health and version; all other paths answer
      // 401.
      rejectUnauthorized: false,
      settings: { maxConcurrentStreams: options.streamsPerConnectionMax ?? streamsPerConnectionDefault },
    },
    http2SessionTimeout: options.idleTimeoutMs ?? idleTimeoutDefaultMs,
    requestTimeout: requestTimeoutMs,
    exposeHeadRoutes: false,
    // No route has a schema, so the schema compilers, which take a tenth of a server's start, are
    // not loaded.
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    frameworkErrors: (_error, _request, reply) =>
      send(reply, errorResponse(badRequest("the request path is not well-formed"))),
  });
  app.removeAllContentTypeParsers();
  // The server itself reads bodies, after their callers have been authorized.
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
  app.setErrorHandler((error: FastifyError, _request, reply) => send(reply, errorResponse(toRefusal(error, deps.log))));
  const identities = new WeakMap<object, CertifiedIdentity | typeof unknown>();
  const connections = deps.guard.guard(app.server, (socket) => {
    const identity = certifiedIdentityOf(socket);
    // Reading a certificate costs as much as a small request, so HTTP/1.1 requests find the result
    // here.
    identities.set(socket, identity ?? unknown);
    return identity?.user.name;
  });
  const cutStreams = new CutStreams(deps);
  const answer = (request: Request, reply: Reply) =>
    carry(deps, { request, reply, identities, connections, cutStreams }).catch((error: unknown) => {
      if (!(error instanceof ConnectionCut)) throw error;
      reply.hijack();
      const raw = request.raw as unknown as IncomingMessage | Http2ServerRequest;
      if ("stream" in raw) cutStreams.cut(raw, () => connections.reset(raw));
      else connections.reset(raw);
    });
  app.addHook("onRequest", (request, _reply, done) => {
    if ("stream" in request.raw) limitBodyTime(request.raw as Http2ServerRequest, deps.clock);
    done();
  });
  app.server.on("upgrade", (request: IncomingMessage, socket: TLSSocket, head: Buffer) => {
    const identity = callerOf(request, identities, deps);
    const onCaller = (user: UserInfo) => connections.know(request, user);
    upgradeConnection(deps, { onCaller, request, socket, head, identity }).catch((error: unknown) => {
      if (error instanceof ConnectionCut) return connections.reset(request);
      deps.log.warn("stream broke off", { error });
      socket.destroy();
    });
  });
  app.route({ method: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], url: "*", handler: answer });
  app.setNotFoundHandler(answer);
  return app;
}

function withoutSchemas(): never {
  throw new Error("a route has a schema, and the server has no compiler of schemas");
}

const unknown = Symbol("no identity");

interface Exchange {
  request: Request;
  reply: Reply;
  identities: WeakMap<object, CertifiedIdentity | typeof unknown>;
  connections: GuardedServer;
  cutStreams: CutStreams;
}

/** A body that arrives too slowly ends its request, as Node does for HTTP/1.1. */
function limitBodyTime(request: Http2ServerRequest, clock: Clock): void {
  const { stream } = request;
  if (stream.endAfterHeaders) return;
  const timer = clock.after(requestTimeoutMs, () => stream.close(constants.NGHTTP2_CANCEL));
  stream.once("end", () => timer.cancel());
  stream.once("close", () => timer.cancel());
}

async function carry(deps: TlsServerDeps, exchange: Exchange): Promise<void> {
  const { request, reply } = exchange;
  const raw = reply.raw as unknown as ServerResponse | Http2ServerResponse;
  const rawRequest = request.raw as unknown as IncomingMessage | Http2ServerRequest;
  if ("stream" in rawRequest) exchange.cutStreams.add(rawRequest);
  let gone: AbortSignal | undefined;
  const apiRequest: ApiRequest = {
    method: request.method,
    path: request.raw.url ?? "/",
    headers: request.headers as Record<string, string | undefined>,
    rawHeaders: request.raw.rawHeaders,
    readBody: methodsWithBody.has(request.method) ? (take, refused) => readBody(rawRequest, take, refused) : undefined,
    // Only a proxy reads the body as a stream.
    get bodyStream() {
      return hasBody(rawRequest) ? unreadBody(rawRequest) : undefined;
    },
    remoteAddress: rawRequest.socket.remoteAddress,
    identity: callerOf(rawRequest, exchange.identities, deps),
    onCaller: (user) => exchange.connections.know(rawRequest, user),
    // Only streams use the signal, and making it costs as much as answering a read.
    get signal() {
      return (gone ??= closedSignal(raw));
    },
  };
  const response = await deps.handle(apiRequest);
  reply.hijack();
  if (response.status === 401 && !exchange.connections.isKnown(rawRequest)) closeAfter(rawRequest, response);
  // Node discards the rest of the body as it arrives. A body of unknown or excessive length ends
  // its connection.
  if (!("stream" in rawRequest) && !endsSoon(rawRequest)) response.headers["connection"] = "close";
  await write(raw, response, deps);
  if ("stream" in rawRequest) endUnsent(rawRequest.stream);
}

/**
 * A client whose request is answered need not send the rest of its body (RFC 9113, section 8.1).
 * Node resets the stream only if the server has not read a part of the body. Without this reset,
 * the stream of a partly read body would remain open until the client has sent the whole body.
 */
function endUnsent(stream: ServerHttp2Stream): void {
  const isEnded = () => stream.endAfterHeaders || stream.readableEnded || stream.closed || stream.destroyed;
  if (isEnded()) return;
  // Node sends a reset before what it has not sent of the answer, and Go's client then discards the
  // answer. Node sends the end of a body a turn of the event loop after it asks for trailers. An
  // answer without a body has no trailers.
  const reset = () => setImmediate(() => isEnded() || stream.close(constants.NGHTTP2_NO_ERROR));
  if (stream.sentTrailers) return void reset();
  stream.once("wantTrailers", reset);
  stream.once("finish", () => setImmediate(() => !isEnded() && stream.state.localClose === 1 && reset()));
}

/**
 * An unauthenticated client has to reconnect for another try, so that each try has a cost. Upstream
 * also closes the connection.
 */
function closeAfter(request: IncomingMessage | Http2ServerRequest, response: ApiResponse): void {
  if (!("stream" in request)) response.headers["connection"] = "close";
  else if (request.stream.session?.closed === false) request.stream.session.close();
}

function closedSignal(raw: ServerResponse | Http2ServerResponse): AbortSignal {
  const controller = new AbortController();
  // A client may reset its stream before the signal is made.
  const isClosed = "stream" in raw ? raw.stream.closed || raw.stream.destroyed : raw.destroyed;
  if (raw.writableEnded || isClosed) controller.abort(callerGone);
  raw.on("close", () => controller.abort(callerGone));
  return controller.signal;
}

/**
 * All requests share one error instance, because a stack trace for each request would be wasted.
 */
const callerGone = new Error("the caller has disconnected");

/**
 * Computed once per connection. A certificate that has expired in the meantime no longer
 * authenticates its client.
 */
function callerOf(
  raw: IncomingMessage | Http2ServerRequest,
  identities: Exchange["identities"],
  { clock, certificateSeen }: Pick<TlsServerDeps, "clock" | "certificateSeen">,
): UserInfo | undefined {
  const connection: object = "stream" in raw ? (raw.stream.session ?? raw) : raw.socket;
  let identity = identities.get(connection);
  if (identity === undefined) {
    identity = certifiedIdentityOf(raw.socket as unknown as CertifiedConnection) ?? unknown;
    identities.set(connection, identity);
  }
  if (identity === unknown) return undefined;
  const leftMs = identity.notAfterMs - clock.nowMs();
  if (leftMs <= 0) return undefined;
  certificateSeen?.(leftMs / 1000);
  return identity.user;
}

async function write(
  raw: ServerResponse | Http2ServerResponse,
  response: ApiResponse,
  { clock, log }: Pick<TlsServerDeps, "clock" | "log">,
): Promise<void> {
  const { status, body, setCookies } = response;
  const headers = { ...response.headers, ...(setCookies === undefined ? {} : { "set-cookie": [...setCookies] }) };
  const isWhole = body instanceof Uint8Array;
  raw.writeHead(status, isWhole ? { ...headers, "content-length": String(body.byteLength) } : headers);
  // Most answers are small, so head and body are sent together.
  if (isWhole && body.byteLength <= unwatchedBytesMax) return void raw.end(body);
  const writer: BodyWriter = "stream" in raw ? raw.stream : raw;
  // Both kinds of responses have the method, although only one type declares it. Where the client
  // has disconnected in the meantime, the body still has to be ended.
  if (!isOver(writer)) (raw as ServerResponse).flushHeaders();
  try {
    await writeBody(writer, body, { clock, stallMs: stallTimeoutMs });
  } catch (error) {
    if (error instanceof ConnectionCut) throw error;
    log.warn("stream broke off", { error });
    breakOff(raw);
  }
}

/**
 * A partial answer must not look complete, and an HTTP/2 stream that is only destroyed ends like a
 * complete stream.
 */
function breakOff(raw: ServerResponse | Http2ServerResponse): void {
  if ("stream" in raw) raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else raw.destroy();
}

function send(reply: Pick<Reply, "code" | "headers" | "send">, response: ApiResponse): void {
  void reply.code(response.status);
  void reply.headers(response.headers);
  void reply.send(response.body);
}

/** Fastify rejects some requests itself before `handle` receives them. */
function toRefusal(error: FastifyError | ApiError, log: Logger): ApiError {
  if (error instanceof ApiError) return error;
  switch (error.code) {
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return unsupportedMediaType(["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]);
    default:
      if ((error.statusCode ?? 500) < 500) return badRequest(error.message);
      log.error("request failed", { error });
      return new ApiError("InternalError", "internal error; see the server's log");
  }
}

import { type IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import {
  followServerTls,
  listen,
  readServerTls,
  serverSecureContext,
  type ServerTlsFiles,
  shareConnections,
} from "@kintsugi/daemon";
import type { UpgradeRequest } from "@kintsugi/streaming";
import type { AccessReviews } from "./access-reviews.ts";
import { type ClientIdentity, clientIdentity } from "./client-identity.ts";
import { HttpMetrics } from "./http-metrics.ts";
import { type TokenReviews, TooManyTokens } from "./token-reviews.ts";
import { permissions, type ServerScope, verbOf } from "./server-scope.ts";

export interface KubeletServerDeps {
  clock: Clock;
  metrics: Metrics;
  log: Logger;
  routes: readonly Route[];
  reviews: Pick<AccessReviews, "isAllowed">;
  /** Authenticates clients by tokens; without it, only certificates are accepted. */
  tokens?: Pick<TokenReviews, "identify"> | undefined;
}

export interface Route {
  /** The path's first segment: "containerLogs". */
  segment: string;
  scope: ServerScope;
  /** Absent where the route requires an upgraded connection. @throws Refusal */
  answer?(request: RouteRequest, response: ServerResponse): Promise<void>;
  /**
   * Takes over the connection of a client that requests a protocol upgrade. @throws Refusal before
   * the connection is taken over.
   */
  upgrade?(request: RouteRequest, upgrade: UpgradeRequest): Promise<void>;
}

export interface RouteRequest {
  /** The segments after the first, decoded. */
  parts: readonly string[];
  query: URLSearchParams;
  /** Aborts when the client disappears. */
  signal: AbortSignal;
}

/** A request that is rejected; the message is for its client. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** Only clients whose certificate the authority has signed get an answer. */
/**
 * An API server has a connection for each request, log and exec session; other clients have few.
 */
const connectionLimits = { max: 2048, maxOfClient: 1024 };

export interface KubeletServerOptions extends ServerTlsFiles {
  address: string;
  port: number;
}

/**
 * A command is part of the request line. Linux allows 128 KiB for one argument, which is more in a
 * URL's encoding. Node's default is 16 KiB.
 */
const maxHeaderSize = 256 * 1024;

/**
 * The kubelet's HTTPS server: requests that the API server forwards, health and metrics. Every
 * client presents a certificate or a token, and the API checks its identity and its rights.
 */
export class KubeletServer {
  readonly #deps: KubeletServerDeps;
  readonly #options: KubeletServerOptions;
  readonly #metrics: HttpMetrics;
  #server: Server | undefined;

  constructor(deps: KubeletServerDeps, options: KubeletServerOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#metrics = new HttpMetrics(deps);
  }

  /**
   * The port at which the server listens; a free port if the option was 0. Undefined before `run`.
   */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, address } = this.#options;
    const tls = await readServerTls(this.#options);
    const server = createServer(
      { ...serverSecureContext(tls), requestCert: true, rejectUnauthorized: false, maxHeaderSize },
      (request, response) => {
        response.once("close", this.#begin(request));
        void this.#answer(request, response);
      },
    );
    const upgraded = new Set<Duplex>();
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      upgraded.add(socket);
      const done = this.#begin(request);
      socket.once("close", () => {
        upgraded.delete(socket);
        done();
      });
      void this.#answerUpgrade({ request, socket, head });
    });
    shareConnections(server, connectionLimits);
    await listen(server, {
      address,
      port,
      otherwise: "stop the process that listens there, or choose another port with --port",
    });
    this.#server = server;
    this.#deps.log.info("serving", { address, port: this.port });
    await followServerTls(this.#deps, { files: this.#options, initial: tls, servers: () => [server] }).run(signal);
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  #begin({ method = "GET", url = "/" }: IncomingMessage): () => void {
    const [, segment] = /^\/([^/?]*)/.exec(url) ?? [];
    const known = this.#deps.routes.some((route) => route.segment === segment);
    return this.#metrics.begin(method, known && segment !== undefined ? segment : "other");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      const { route, routeRequest } = await this.#route(request, gone.signal);
      if (route.answer === undefined) throw new Refusal(400, "Upgrade request required");
      if (request.method !== "GET") throw new Refusal(405, "405: Method Not Allowed");
      await route.answer(routeRequest, response);
    } catch (error) {
      if (!gone.signal.aborted) this.#refuse(request, response, error);
    }
  }

  /** An upgrade request for a route without upgrades is answered like any other request. */
  async #answerUpgrade(upgrade: UpgradeRequest): Promise<void> {
    const { request, socket } = upgrade;
    const gone = new AbortController();
    socket.on("error", () => {});
    socket.once("close", () => gone.abort());
    const response = () => responseOver(request, socket);
    try {
      const { route, routeRequest } = await this.#route(request, gone.signal);
      if (route.upgrade === undefined) return await this.#answer(request, response());
      await route.upgrade(routeRequest, upgrade);
    } catch (error) {
      if (!gone.signal.aborted) this.#refuse(request, response(), error);
    }
  }

  /** @throws Refusal */
  async #route(request: IncomingMessage, signal: AbortSignal): Promise<{ route: Route; routeRequest: RouteRequest }> {
    const identity = await this.#authenticate(request);
    const url = new URL(request.url ?? "/", "https://kubelet");
    const [segment = "", ...parts] = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
    const route = this.#deps.routes.find((each) => each.segment === segment);
    if (!route) throw new Refusal(404, "404 page not found");
    await this.#authorize(identity, { scope: route.scope, method: request.method ?? "GET" });
    return { route, routeRequest: { parts, query: url.searchParams, signal } };
  }

  /**
   * Authenticates the client by its certificate, or else by its token.
   * @throws Refusal
   */
  async #authenticate(request: IncomingMessage): Promise<ClientIdentity> {
    const socket = request.socket as TLSSocket;
    const certified = socket.authorized ? clientIdentity(socket.getPeerCertificate()) : undefined;
    if (certified) return certified;
    const [, token] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
    if (token === undefined) throw new Refusal(401, "Unauthorized");
    try {
      const identity = await this.#deps.tokens?.identify(token);
      if (identity) return identity;
    } catch (error) {
      this.#deps.log.warn("token not reviewed", { error });
      if (error instanceof TooManyTokens) throw new Refusal(429, `${error.message}, try again later`);
    }
    throw new Refusal(401, "Unauthorized");
  }

  /** @throws Refusal */
  async #authorize(identity: ClientIdentity, request: { scope: ServerScope; method: string }): Promise<void> {
    const { subresources, verb = verbOf(request.method) } = permissions[request.scope];
    if (subresources.length === 0) return;
    const said = `(user=${identity.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}])`;
    try {
      for (const subresource of subresources) {
        if (await this.#deps.reviews.isAllowed({ identity, verb, subresource })) return;
      }
    } catch (error) {
      this.#deps.log.warn("access not reviewed", { user: identity.name, error });
      throw new Refusal(500, `Authorization error ${said}`);
    }
    throw new Refusal(403, `Forbidden ${said}`);
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (response.headersSent) return void response.destroy();
    if (error instanceof Refusal) return sendText(response, error.statusCode, error.message);
    if (error instanceof URIError || error instanceof RangeError) return sendText(response, 400, error.message);
    this.#deps.log.error("request failed", { path: request.url, error });
    sendText(response, 500, "internal error");
  }
}

/**
 * An ordinary answer on a connection that was detached from the server; it is the connection's
 * last.
 */
function responseOver(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once("finish", () => socket.end());
  return response;
}

export function sendText(response: ServerResponse, statusCode: number, text: string): void {
  response.writeHead(statusCode, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end(text);
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Logger } from "@kintsugi/api";
import { untilAborted } from "../loops/until-aborted.ts";
import { clientIdentity, isAllowed, type ServerScope } from "./client-identity.ts";

export interface KubeletServerDeps {
  log: Logger;
  routes: readonly Route[];
}

export interface Route {
  /** The path's first segment: "containerLogs". */
  segment: string;
  scope: ServerScope;
  /** `parts`: the segments behind the first, decoded. `signal` aborts when the client goes away. */
  answer(request: RouteRequest, response: ServerResponse): Promise<void>;
}

export interface RouteRequest {
  parts: readonly string[];
  query: URLSearchParams;
  signal: AbortSignal;
}

export interface KubeletServerOptions {
  address: string;
  port: number;
  certFile: string;
  keyFile: string;
  /** Who signs the clients; nobody else gets an answer. */
  clientCaFile: string;
}

/** The kubelet's HTTPS server: what the API server forwards, health and metrics. Every client shows a certificate. */
export class KubeletServer {
  readonly #deps: KubeletServerDeps;
  readonly #options: KubeletServerOptions;
  #server: Server | undefined;

  constructor(deps: KubeletServerDeps, options: KubeletServerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Where it listens; the port that was found if 0 was asked for. Undefined before `run`. */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { certFile, keyFile, clientCaFile, port, address } = this.#options;
    const [cert, key, ca] = await Promise.all([certFile, keyFile, clientCaFile].map((file) => readFile(file)));
    const server = createServer(
      { cert, key, ca, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.2" },
      (request, response) => void this.#answer(request, response),
    );
    await listen(server, address, port);
    this.#server = server;
    this.#deps.log.info("serving", { address, port: this.port });
    await untilAborted(signal);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      const socket = request.socket as TLSSocket;
      const identity = socket.authorized ? clientIdentity(socket.getPeerCertificate()) : undefined;
      if (!identity) return sendText(response, 401, "Unauthorized");
      const url = new URL(request.url ?? "/", "https://kubelet");
      const [segment = "", ...parts] = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
      const route = this.#deps.routes.find((each) => each.segment === segment);
      if (!route) return sendText(response, 404, "404 page not found");
      if (!isAllowed(identity, route.scope)) {
        const message = `Forbidden (user=${identity.name}, verb=get, resource=nodes, subresource=${route.scope})`;
        return sendText(response, 403, message);
      }
      if (request.method !== "GET") return sendText(response, 405, "405: Method Not Allowed");
      await route.answer({ parts, query: url.searchParams, signal: gone.signal }, response);
    } catch (error) {
      if (gone.signal.aborted) return;
      const isClientFault = error instanceof URIError || error instanceof RangeError;
      if (!isClientFault) this.#deps.log.error("request failed", { path: request.url, error });
      if (response.headersSent) response.destroy();
      else sendText(response, isClientFault ? 400 : 500, isClientFault ? error.message : "internal error");
    }
  }
}

export function sendText(response: ServerResponse, statusCode: number, text: string): void {
  response.writeHead(statusCode, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end(text);
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function listen(server: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
}

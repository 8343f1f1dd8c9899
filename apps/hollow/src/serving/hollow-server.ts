import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "@kintsugi/api";
import { Refusal, type Route } from "@kintsugi/kubelet/factory";
import { duplexPair } from "@kintsugi/streaming";

export interface HollowServerDeps {
  log: Logger;
  /** The routes of the node's kubelet; empty while no kubelet runs. */
  routes(): readonly Route[];
}

/**
 * The HTTP server of a hollow kubelet. It does not listen on a port. A caller in this process,
 * which has already checked the client's rights, opens connections to it.
 */
export class HollowServer {
  readonly #deps: HollowServerDeps;
  readonly #server: Server;

  constructor(deps: HollowServerDeps) {
    this.#deps = deps;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on("error", () => {});
      void this.#upgrade(request, socket, head);
    });
  }

  /** Returns the caller's end of a new connection. */
  connect(): Duplex {
    const [client, server] = duplexPair();
    this.#server.emit("connection", server);
    return client;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      const { route, asked } = this.#find(request, gone.signal);
      if (route.answer === undefined) throw new Refusal(400, "Upgrade request required");
      await route.answer(asked, response);
    } catch (error) {
      if (!gone.signal.aborted) this.#refuse(response, error);
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController();
    socket.once("close", () => gone.abort());
    try {
      const { route, asked } = this.#find(request, gone.signal);
      if (route.upgrade === undefined) throw new Refusal(400, "this request cannot be upgraded");
      await route.upgrade(asked, { request, socket, head });
    } catch (error) {
      if (gone.signal.aborted) return;
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket as Socket);
      response.once("finish", () => socket.end());
      this.#refuse(response, error);
    }
  }

  /** @throws Refusal */
  #find(request: IncomingMessage, signal: AbortSignal) {
    const url = new URL(request.url ?? "/", "http://kubelet");
    const [segment = "", ...parts] = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
    const route = this.#deps.routes().find((each) => each.segment === segment);
    if (route === undefined) throw new Refusal(404, "404 page not found");
    return { route, asked: { parts, query: url.searchParams, signal } };
  }

  #refuse(response: ServerResponse, error: unknown): void {
    if (response.headersSent) return void response.destroy();
    const isRefusal = error instanceof Refusal;
    if (!isRefusal) this.#deps.log.error("request failed", { error });
    response.writeHead(isRefusal ? error.statusCode : 500, { "content-type": "text/plain; charset=utf-8" });
    response.end(isRefusal ? error.message : "internal error");
  }
}

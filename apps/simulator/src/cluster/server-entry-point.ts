import type { HandlerRequest, HandlerResponse, RequestHandler } from "@kintsugi/client";

/**
 * A client's connection to several servers, like its transport's: a server is used as long as it
 * responds, and the next server after a connection that breaks or a 503.
 */
export class ServerEntryPoint implements RequestHandler {
  readonly #servers: readonly RequestHandler[];
  #current: number;

  constructor(servers: readonly RequestHandler[], first: number) {
    this.#servers = servers;
    this.#current = first % servers.length;
  }

  async handle(request: HandlerRequest): Promise<HandlerResponse> {
    const at = this.#current;
    const server = this.#servers[at];
    if (server === undefined) throw new Error(`there is no server ${at}`);
    try {
      const answer = await server.handle(request);
      if (answer.status === 503) this.#leave(at);
      return answer;
    } catch (error) {
      this.#leave(at);
      throw error;
    }
  }

  #leave(at: number): void {
    if (this.#current === at) this.#current = (at + 1) % this.#servers.length;
  }
}

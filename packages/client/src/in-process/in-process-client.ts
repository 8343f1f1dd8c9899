import { type Metrics, silentMetrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Client } from "../client.ts";
import { RestClient } from "../rest/rest-client.ts";
import { ConnectionFault, type Transport, type TransportRequest, type TransportResponse } from "../rest/transport.ts";
import type { CallerIdentity, HandlerResponse, RequestHandler } from "./request-handler.ts";

export interface InProcessClientDeps {
  handler: RequestHandler;
  clock: Clock;
  random: Random;
  metrics?: Metrics;
}

export interface InProcessClientOptions {
  identity: CallerIdentity;
  userAgent?: string;
  /** How long one attempt may take. Default 30 s. */
  attemptTimeoutMs?: number;
  /** How long a call may take with its retries. Default 60 s. */
  callTimeoutMs?: number;
}

/** The same client without a network: requests are function calls, carried out as `identity`. */
export function createInProcessClient(deps: InProcessClientDeps, options: InProcessClientOptions): Client {
  const { clock, random, metrics = silentMetrics } = deps;
  const { identity, userAgent = "kintsugi-in-process", ...limits } = options;
  return new RestClient(
    { transport: new InProcessTransport(deps.handler, identity), clock, random, metrics },
    { userAgent, ...limits },
  );
}

class InProcessTransport implements Transport {
  readonly host = "in-process";
  readonly #handler: RequestHandler;
  readonly #identity: CallerIdentity;
  readonly #closed = new AbortController();

  constructor(handler: RequestHandler, identity: CallerIdentity) {
    this.#handler = handler;
    this.#identity = identity;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#closed.signal.aborted) throw new ConnectionFault("the client is closed", { sent: false });
    const signal = AbortSignal.any([request.signal, this.#closed.signal]);
    signal.throwIfAborted();
    const response = await orAborted(this.#answer(request, signal), signal);
    const body = response.body;
    return {
      status: response.status,
      headers: response.headers,
      body: body instanceof Uint8Array ? single(body) : untilAborted(body, signal),
    };
  }

  close(): Promise<void> {
    this.#closed.abort(new ConnectionFault("the client is closed", { sent: true }));
    return Promise.resolve();
  }

  async #answer(request: TransportRequest, signal: AbortSignal): Promise<HandlerResponse> {
    try {
      return await this.#handler.handle({
        method: request.method,
        path: request.path,
        headers: request.headers,
        ...(request.body === undefined ? {} : { body: request.body }),
        identity: this.#identity,
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ConnectionFault) throw error;
      throw new ConnectionFault(error instanceof Error ? error.message : String(error), { sent: true, cause: error });
    }
  }
}

/** What `promise` gives, unless the signal aborts first: a handler that hangs must not hang its caller. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

async function* single(body: Uint8Array): AsyncGenerator<Uint8Array, void> {
  if (body.byteLength > 0) yield body;
}

async function* untilAborted(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await orAborted(chunks.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a producer that is waiting inside next() only ends once its own signal reaches it.
    chunks.return?.().catch(() => {});
  }
}

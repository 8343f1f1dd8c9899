import { type Metrics, silentMetrics, messageOf } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Client } from "../client.ts";
import { RestClient } from "../rest/rest-client.ts";
import {
  type Cancellation,
  ConnectionFault,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../rest/transport.ts";
import type { CallerIdentity, HandlerRequest, HandlerResponse, RequestHandler } from "./request-handler.ts";

/** The user agent of clients in the server's process that are not given a user agent. */
export const inProcessUserAgent = "kintsugi-in-process";

export interface InProcessClientDeps {
  handler: RequestHandler;
  clock: Clock;
  random: Random;
  metrics?: Metrics;
}

export interface InProcessClientOptions {
  identity: CallerIdentity;
  userAgent?: string;
  /** The limit of one attempt. Default 30 s. */
  attemptTimeoutMs?: number;
  /** The limit of a call with its retries. Default 60 s. */
  callTimeoutMs?: number;
}

/**
 * Creates a client that does not use a network: its requests are function calls, executed as
 * `identity`.
 */
export function createInProcessClient(deps: InProcessClientDeps, options: InProcessClientOptions): Client {
  const { clock, random, metrics = silentMetrics } = deps;
  const { identity, userAgent = inProcessUserAgent, ...limits } = options;
  return new RestClient(
    { transport: new InProcessTransport(deps.handler, identity), clock, random, metrics },
    { userAgent, ...limits },
  );
}

/**
 * Makes its signal on first use. It is a class because a literal with a getter has a slow shape in
 * V8.
 */
class SentRequest implements HandlerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  declare readonly body?: Uint8Array;
  readonly identity: CallerIdentity;
  readonly #cancellation: Cancellation;

  constructor({ method, path, headers, body, cancellation }: TransportRequest, identity: CallerIdentity) {
    this.method = method;
    this.path = path;
    this.headers = headers;
    if (body !== undefined) this.body = body;
    this.identity = identity;
    this.#cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }
}

class InProcessTransport implements Transport {
  readonly host = "in-process";
  readonly #handler: RequestHandler;
  readonly #identity: CallerIdentity;
  /** The requests to cancel when the client is closed. */
  readonly #open = new Set<Cancellation>();
  #closed = false;

  constructor(handler: RequestHandler, identity: CallerIdentity) {
    this.#handler = handler;
    this.#identity = identity;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { cancellation } = request;
    if (this.#closed) throw new ConnectionFault("the client is closed", { sent: false });
    if (cancellation.cancelled) throw cancellation.reason;
    request.onSent();
    this.#open.add(cancellation);
    let isStreaming = false;
    try {
      const { status, headers, body, parsed } = await orCancelled(this.#answer(request), cancellation);
      if (body instanceof Uint8Array) return { status, headers, body, parsed };
      isStreaming = true;
      return { status, headers, body: this.#untilCancelled(body, cancellation) };
    } finally {
      if (!isStreaming) this.#open.delete(cancellation);
    }
  }

  close(): Promise<void> {
    this.#closed = true;
    const reason = new ConnectionFault("the client is closed", { sent: true });
    for (const cancellation of this.#open) cancellation.cancel(reason);
    return Promise.resolve();
  }

  async #answer(request: TransportRequest): Promise<HandlerResponse> {
    const { cancellation } = request;
    try {
      return await this.#handler.handle(new SentRequest(request, this.#identity));
    } catch (error) {
      if (cancellation.cancelled || error instanceof ConnectionFault) throw error;
      throw new ConnectionFault(messageOf(error), { sent: true, cause: error });
    }
  }

  async *#untilCancelled(
    body: AsyncIterable<Uint8Array>,
    cancellation: Cancellation,
  ): AsyncGenerator<Uint8Array, void> {
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        if (cancellation.cancelled) throw cancellation.reason;
        const next = await orCancelled(chunks.next(), cancellation);
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      this.#open.delete(cancellation);
      // Not awaited, because a producer that waits inside next() ends only after its own signal.
      chunks.return?.().catch(() => {});
    }
  }
}

/**
 * Resolves as `promise` does, unless its caller has cancelled, because a handler that hangs must
 * not hang its caller.
 */
function orCancelled<T>(promise: Promise<T>, cancellation: Cancellation): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = cancellation.onCancel(() => reject(cancellation.reason as Error));
    promise.then(
      (value) => {
        stopListening();
        resolve(value);
      },
      (error: unknown) => {
        stopListening();
        reject(error as Error);
      },
    );
  });
}

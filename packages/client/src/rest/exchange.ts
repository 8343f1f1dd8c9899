import { type Counter, type Histogram, isApiError, type Metrics, parseForeignJson, messageOf } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { ForeignAnswer } from "../client.ts";
import { CallLimits } from "./call-limits.ts";
import { ConnectionError } from "./connection-error.ts";
import { type FailedAttempt, parseRetryAfter, planRetry } from "./retry.ts";
import { ServerPresence } from "./server-presence.ts";
import { apiErrorFrom } from "./status-error.ts";
import { type Cancellation, ConnectionFault, type Transport, type TransportResponse } from "./transport.ts";
import { SilentConnection, Unanswered } from "./unanswered.ts";

/**
 * An answer is read into memory up to this size. A page of 500 objects of 3 MiB would not fit into
 * the memory of a program either.
 */
const answerBytesMax = 512 * 1024 * 1024;
/** Insufficient Storage (RFC 4918): this project's server reports StorageFull with this status. */
const statusOfFull = 507;

export interface ExchangeDeps {
  transport: Transport;
  clock: Clock;
  random: Random;
  metrics: Metrics;
}

export interface ExchangeOptions {
  userAgent: string;
  /** Sent with every request: Authorization, if the identity is a token. */
  headers: Readonly<Record<string, string>>;
  /** The limit of one attempt from sending to the last byte of the answer. */
  attemptTimeoutMs: number;
  /** The limit of all attempts of a call together. */
  callTimeoutMs: number;
}

export interface ExchangeRequest {
  method: string;
  path: string;
  body?: unknown;
  contentType?: string;
  /** Default JSON. */
  accept?: string | undefined;
  /** The ETag of a known answer. The answer is undefined if the server still has that version. */
  ifNoneMatch?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Replaces the client's limit for all attempts together. */
  timeoutMs?: number | undefined;
  onHeaders?: ((headers: Readonly<Record<string, string>>) => void) | undefined;
  /** Default false. */
  urgent?: boolean | undefined;
  /** Limits on an answer that a server behind the API server wrote. */
  foreign?: ForeignAnswer | undefined;
  /** Returns a refusal as the answer, including a refusal that requests a retry. Default false. */
  isTriedOnce?: boolean | undefined;
}

/** An answer that continues. `limits` apply to it until they are released. */
export interface OpenExchange {
  body: AsyncIterable<Uint8Array>;
  limits: CallLimits;
  operation: string;
}

/** The outcome of one attempt. */
type Outcome = { answer: unknown } | { error: Error; failed: FailedAttempt };

/** Sends requests with time limits, retries, metrics, and errors that name the request. */
export class Exchange {
  readonly presence: ServerPresence;
  readonly #deps: ExchangeDeps;
  readonly #options: ExchangeOptions;
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #unanswered = new Unanswered();

  constructor(deps: ExchangeDeps, options: ExchangeOptions) {
    this.#deps = deps;
    this.#options = options;
    this.presence = new ServerPresence(deps.clock);
    this.presence.onReturn(() => this.#unanswered.giveUpStuck(this.presence.missedMs));
    this.#requests = deps.metrics.counter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, partitioned by status code, method, and host.",
      labels: ["code", "method", "host"],
    });
    this.#durations = deps.metrics.histogram({
      name: "rest_client_request_duration_seconds",
      help: "Request latency in seconds. Broken down by verb, and host.",
      labels: ["verb", "host"],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    });
  }

  /**
   * The parsed JSON answer, or its text if it is not JSON. @throws ApiError, ConnectionError, or
   * the signal's reason.
   */
  async call(request: ExchangeRequest): Promise<unknown> {
    const { clock } = this.#deps;
    const untilMs = clock.monotonicMs() + (request.timeoutMs ?? this.#options.callTimeoutMs);
    let wasStuck = false;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request, untilMs - clock.monotonicMs(), !wasStuck);
      if (!("error" in outcome)) return outcome.answer;
      if (request.isTriedOnce === true) throw outcome.error;
      wasStuck ||= isStuck(outcome.error);
      const decision = planRetry(attempt, outcome.failed, this.#deps.random.float());
      if ("giveUp" in decision || clock.monotonicMs() + decision.retryAfterMs >= untilMs) throw outcome.error;
      await clock.sleep(decision.retryAfterMs, request.signal);
    }
  }

  /**
   * Starts a streamed answer in one attempt, on a connection that answers. The caller releases the
   * limits. @throws as `call`.
   */
  async open(request: ExchangeRequest): Promise<OpenExchange> {
    try {
      return await this.#open(request, true);
    } catch (error) {
      if (isStuck(error)) return this.#open(request, false);
      throw error;
    }
  }

  async #open(request: ExchangeRequest, mayBeStuck: boolean): Promise<OpenExchange> {
    const operation = this.#operation(request);
    const limits = new CallLimits(this.#deps.clock, request.signal);
    try {
      limits.limit(this.#options.attemptTimeoutMs, () => silence(this.#options.attemptTimeoutMs, true));
      const response = await this.#send(request, limits, { longRunning: true, mayBeStuck });
      if (response.status < 200 || response.status > 299) {
        throw apiErrorFrom(parseAnswer(await readAll(response.body)), response.status, operation);
      }
      limits.limit(undefined, () => silence(0, true));
      return { body: response.body instanceof Uint8Array ? single(response.body) : response.body, limits, operation };
    } catch (error) {
      limits.release();
      throw this.connectionError(error, operation, { outcomeUnknown: false, signal: request.signal });
    }
  }

  async #attempt(request: ExchangeRequest, remainingMs: number, mayBeStuck: boolean): Promise<Outcome> {
    const operation = this.#operation(request);
    const limits = new CallLimits(this.#deps.clock, request.signal);
    const limitMs = Math.max(0, Math.min(this.#options.attemptTimeoutMs, remainingMs));
    limits.limit(limitMs, () => silence(limitMs, true));
    const idempotent = request.method === "GET";
    try {
      const response = await this.#send(request, limits, { longRunning: false, mayBeStuck });
      const bytes = await readAll(response.body, request.foreign?.bytesMax);
      if (response.status === 304 && request.ifNoneMatch !== undefined) return { answer: undefined };
      const answer = response.parsed ?? parseAnswer(bytes, request.foreign);
      if (response.status >= 200 && response.status <= 299) {
        request.onHeaders?.(response.headers);
        return { answer };
      }
      return {
        error: apiErrorFrom(answer, response.status, operation),
        failed: {
          kind: "refused",
          status: response.status,
          retryAfterSeconds: parseRetryAfter(response.headers["retry-after"]),
        },
      };
    } catch (error) {
      const sent = !(error instanceof ConnectionFault) || error.sent;
      const failure = this.connectionError(error, operation, {
        outcomeUnknown: sent && !idempotent,
        signal: request.signal,
      });
      if (!(failure instanceof ConnectionError)) throw failure;
      return { error: failure, failed: { kind: "connection", repeatable: idempotent || !sent } };
    } finally {
      limits.release();
    }
  }

  /**
   * A call is abandoned as stuck only once, so that a slow server does not receive it again and
   * again.
   */
  async #send(
    request: ExchangeRequest,
    cancellation: Cancellation,
    { longRunning, mayBeStuck }: { longRunning: boolean; mayBeStuck: boolean },
  ): Promise<TransportResponse> {
    const { transport, clock } = this.#deps;
    const startedMs = clock.monotonicMs();
    const { method } = request;
    const { host } = transport;
    const unanswered = { sinceMs: startedMs, cancellation, isRepeatable: true };
    if (mayBeStuck) this.#unanswered.add(unanswered);
    let response: TransportResponse;
    try {
      response = await transport.send({
        method,
        path: request.path,
        headers: this.#headers(request),
        ...(request.body === undefined ? {} : { body: encode(request.body) }),
        longRunning,
        urgent: request.urgent === true,
        cancellation,
        onSent: () => (unanswered.isRepeatable = method === "GET"),
      });
      this.#requests.add(1, { method, host, code: String(response.status) });
    } catch (error) {
      this.#requests.add(1, { method, host, code: "<error>" });
      throw error;
    } finally {
      this.#unanswered.delete(unanswered);
      this.#durations.observe((clock.monotonicMs() - startedMs) / 1000, { verb: method, host });
    }
    // The answer is from a gateway, or from a server that is not ready. Waiting callers continue to
    // wait.
    if (response.status < 500) this.presence.answered({ hasWritten: needsRoom(request) && response.status < 300 });
    if (response.status === statusOfFull) this.presence.full();
    return response;
  }

  #headers(request: ExchangeRequest): Record<string, string> {
    const headers: Record<string, string> = {
      accept: request.accept ?? "application/json",
      "user-agent": this.#options.userAgent,
      ...this.#options.headers,
    };
    if (request.ifNoneMatch !== undefined) headers["if-none-match"] = request.ifNoneMatch;
    if (request.body !== undefined) headers["content-type"] = request.contentType ?? "application/json";
    return headers;
  }

  #operation(request: ExchangeRequest): string {
    return `${request.method} ${this.#deps.transport.host}${request.path}`;
  }

  /**
   * Returns the error for the caller: its own reason if the caller cancelled, a refusal unchanged,
   * and a ConnectionError otherwise.
   */
  connectionError(
    error: unknown,
    operation: string,
    context: { outcomeUnknown: boolean; signal: AbortSignal | undefined },
  ): unknown {
    if (context.signal?.aborted) return context.signal.reason as unknown;
    if (isApiError(error)) return error;
    if (!(error instanceof SilentConnection)) this.presence.missed();
    const message = messageOf(error);
    return new ConnectionError(message, { operation, outcomeUnknown: context.outcomeUnknown, cause: error });
  }
}

/**
 * Returns true for requests that a full server rejects. A full server accepts deletes, and renewals
 * of Leases.
 */
function needsRoom({ method, path }: ExchangeRequest): boolean {
  if (method === "POST") return true;
  return (method === "PUT" || method === "PATCH") && !path.startsWith("/apis/coordination.k8s.io/");
}

function isStuck(error: unknown): boolean {
  return error instanceof ConnectionError && error.cause instanceof SilentConnection;
}

/** The reason with which a time limit ends an exchange. */
function silence(durationMs: number, sent: boolean): ConnectionFault {
  return new ConnectionFault(`no answer within ${durationMs / 1000} s`, { sent });
}

function encode(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

async function* single(body: Uint8Array): AsyncGenerator<Uint8Array, void> {
  if (body.byteLength > 0) yield body;
}

async function readAll(
  body: Uint8Array | AsyncIterable<Uint8Array>,
  bytesMax: number = answerBytesMax,
): Promise<Uint8Array> {
  if (body instanceof Uint8Array && body.byteLength <= bytesMax) return body;
  if (body instanceof Uint8Array) throw tooLong(bytesMax);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLong(bytesMax);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] ?? new Uint8Array()) : Buffer.concat(chunks);
}

function tooLong(bytesMax: number): ConnectionFault {
  return new ConnectionFault(`the answer exceeds ${bytesMax} bytes`, { sent: true });
}

function parseAnswer(bytes: Uint8Array, foreign?: ForeignAnswer): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[" && first !== '"') return text;
  try {
    if (foreign === undefined) return JSON.parse(text) as unknown;
    return parseForeignJson(text, { valuesMax: foreign.valuesMax });
  } catch {
    return text;
  }
}

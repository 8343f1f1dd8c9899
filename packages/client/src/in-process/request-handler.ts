/**
 * An API server as a function that maps a request with a known caller to an answer. The simulator
 * and integration tests put the real server's pipeline behind it.
 */
export interface RequestHandler {
  handle(request: HandlerRequest): Promise<HandlerResponse>;
}

export interface HandlerRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The identity of the caller; over HTTPS it comes from the certificate. */
  readonly identity: CallerIdentity;
  /**
   * Aborts when the caller has cancelled. The signal is made at its first use, so a copy of the
   * request has to name the signal.
   */
  readonly signal: AbortSignal;
}

export interface HandlerResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A whole answer, or an answer that is still being produced. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** The answer as a value instead of JSON in `body`. Its readers must not modify it. */
  readonly parsed?: unknown;
}

export interface CallerIdentity {
  readonly name: string;
  readonly groups: readonly string[];
}

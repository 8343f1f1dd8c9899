/**
 * Carries one request to an API server: over HTTPS, or by a function call in the same process.
 * Everything above it (paths, errors, retries, pages, watches) is the same for both transports.
 */
export interface Transport {
  /** The name in errors and metrics: "https://10.0.0.1:6443", "in-process". */
  readonly host: string;
  /**
   * Resolves when status and headers are in; the body follows.
   * @throws ConnectionFault when no answer arrived, or the reason for which the request was
   * cancelled.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** A watch or a log that is followed: lasts until either side ends it. */
  readonly longRunning: boolean;
  /** Other requests that wait for a connection do not delay this request. */
  readonly urgent: boolean;
  readonly cancellation: Cancellation;
  /**
   * Called when the server can see the request. Until then the server has certainly not acted on
   * it.
   */
  onSent(): void;
}

/**
 * Reports that the caller of a request has cancelled it, with the reason. Most requests end without
 * cancellation, so a signal is made only at its first use.
 */
export interface Cancellation {
  readonly cancelled: boolean;
  readonly reason: unknown;
  readonly signal: AbortSignal;
  /** Calls `listener` when the caller gives up, unless the returned function is called before. */
  onCancel(listener: () => void): () => void;
  cancel(reason: unknown): void;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The whole body, or an iterable of its pieces. A reader that leaves its loop over the pieces
   * early ends the exchange.
   */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * The answer as a value, instead of JSON in `body`, from a server in the same process. Its
   * readers must not modify it.
   */
  readonly parsed?: unknown;
}

/** No answer arrived. */
export class ConnectionFault extends Error {
  override readonly name = "ConnectionFault";
  /** True when the server can have seen the request. */
  readonly sent: boolean;

  constructor(message: string, options: { sent: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.sent = options.sent;
  }
}

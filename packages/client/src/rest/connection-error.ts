/**
 * The API server could not be reached, or did not answer. The error keeps the cause and names the
 * attempted request.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** "POST https://10.0.0.1:6443/api/v1/namespaces/default/pods". */
  readonly operation: string;
  /**
   * The server may have executed the request: read again before repeating it. Always false for
   * reads.
   */
  readonly outcomeUnknown: boolean;

  constructor(message: string, options: { operation: string; outcomeUnknown: boolean; cause?: unknown }) {
    super(`${options.operation}: ${message}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.operation = options.operation;
    this.outcomeUnknown = options.outcomeUnknown;
  }
}

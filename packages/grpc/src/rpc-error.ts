/** The gRPC codes of failed calls, without `DATA_LOSS`, which plugins do not return. */
export type RpcCode =
  | "CANCELLED"
  | "UNKNOWN"
  | "INVALID_ARGUMENT"
  | "DEADLINE_EXCEEDED"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "FAILED_PRECONDITION"
  | "ABORTED"
  | "OUT_OF_RANGE"
  | "UNIMPLEMENTED"
  | "INTERNAL"
  | "UNAVAILABLE"
  | "UNAUTHENTICATED";

/** A plugin rejected or failed a call; the message is the plugin's own. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** Reports whether the error is a plugin's, with one of the codes if codes are given. */
export function isRpcError(error: unknown, ...codes: readonly RpcCode[]): error is RpcError {
  return error instanceof RpcError && (codes.length === 0 || codes.includes(error.code));
}

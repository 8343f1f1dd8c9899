/** The gRPC codes that the CSI specification defines. */
export type CsiCode =
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

/** A driver rejected or failed a call; the message is the driver's own. */
export class CsiError extends Error {
  override readonly name = "CsiError";
  readonly code: CsiCode;

  constructor(code: CsiCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** Reports whether the error is a driver's, with one of the codes if codes are given. */
export function isCsiError(error: unknown, ...codes: readonly CsiCode[]): error is CsiError {
  return error instanceof CsiError && (codes.length === 0 || codes.includes(error.code));
}

/**
 * The driver rejected the call, and has done nothing. After any other error the call may have been
 * executed, or may still be executed (the CSI specification, "Error Scheme").
 */
const finalCodes: readonly CsiCode[] = [
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "FAILED_PRECONDITION",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "UNAUTHENTICATED",
];

/** Reports whether the error means that the driver has not executed the call. */
export function isFinal(error: unknown): boolean {
  return isCsiError(error, ...finalCodes);
}

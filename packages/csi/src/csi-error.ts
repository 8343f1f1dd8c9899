/** The codes of gRPC that the CSI specification gives a meaning. */
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

/** A driver refused or failed a call; the message is the driver's own. */
export class CsiError extends Error {
  override readonly name = "CsiError";
  readonly code: CsiCode;

  constructor(code: CsiCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** Reports whether the error is a driver's, with one of the codes where some are given. */
export function isCsiError(error: unknown, ...codes: readonly CsiCode[]): error is CsiError {
  return error instanceof CsiError && (codes.length === 0 || codes.includes(error.code));
}

/**
 * The driver answered, and it has done nothing: after any other error the call may have been
 * carried out, or may still be (the CSI specification, "Error Scheme").
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

/** Reports whether the error states that the driver has done nothing of the call. */
export function isFinal(error: unknown): boolean {
  return isCsiError(error, ...finalCodes);
}

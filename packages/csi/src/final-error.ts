import { isRpcError, type RpcCode } from "@kintsugi/grpc";

/**
 * The driver rejected the call, and has done nothing. After any other error the call may have been
 * executed, or may still be executed (the CSI specification, "Error Scheme").
 */
const finalCodes: readonly RpcCode[] = [
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
  return isRpcError(error, ...finalCodes);
}

import { status } from "@grpc/grpc-js";
import type { CallFailure } from "@kintsugi/grpc";
import { RuntimeError, type RuntimeErrorReason } from "../container-runtime.ts";

const reasonOfCode: Partial<Record<status, RuntimeErrorReason>> = {
  [status.NOT_FOUND]: "notFound",
  [status.ALREADY_EXISTS]: "alreadyExists",
  [status.INVALID_ARGUMENT]: "invalid",
  [status.UNAVAILABLE]: "unavailable",
  [status.DEADLINE_EXCEEDED]: "deadlineExceeded",
  [status.CANCELLED]: "cancelled",
  [status.UNIMPLEMENTED]: "unimplemented",
};
const codeOfReason: Record<RuntimeErrorReason, status> = {
  notFound: status.NOT_FOUND,
  alreadyExists: status.ALREADY_EXISTS,
  invalid: status.INVALID_ARGUMENT,
  unavailable: status.UNAVAILABLE,
  deadlineExceeded: status.DEADLINE_EXCEEDED,
  cancelled: status.CANCELLED,
  unimplemented: status.UNIMPLEMENTED,
  failed: status.UNKNOWN,
};

/**
 * Converts a failed call into a RuntimeError. The message remains the runtime's own text, since
 * events and conditions show it to users.
 */
export function runtimeErrorOf({ code, text, cause }: CallFailure): RuntimeError {
  return new RuntimeError(reasonOfCode[code] ?? "failed", text, { cause });
}

/** This project's error, as a server answers it. */
export function statusFromError(error: unknown): { code: status; details: string } {
  if (error instanceof RuntimeError) return { code: codeOfReason[error.reason], details: error.message };
  return { code: status.UNKNOWN, details: error instanceof Error ? error.message : String(error) };
}

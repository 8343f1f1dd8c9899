import { type ServiceError, status } from "@grpc/grpc-js";
import { type CsiCode, CsiError } from "../csi-error.ts";

/** Turns a driver's answer into a CsiError; its own text stays the message. */
export function csiErrorFromStatus(error: ServiceError): CsiError {
  const code = status[error.code] as CsiCode | "DATA_LOSS" | "OK" | undefined;
  const known = code === undefined || code === "OK" || code === "DATA_LOSS" ? "UNKNOWN" : code;
  return new CsiError(known, error.details || error.message, { cause: error });
}

/** Our error, as a server answers it. */
export function statusFromCsiError(error: unknown): { code: status; details: string } {
  if (error instanceof CsiError) return { code: status[error.code], details: error.message };
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}

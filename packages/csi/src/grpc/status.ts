import { status } from "@grpc/grpc-js";
import type { CallFailure } from "@kintsugi/grpc";
import { type CsiCode, CsiError } from "../csi-error.ts";

/** Converts a failed call into a CsiError; the message remains the driver's own text. */
export function csiErrorOf({ code, text, cause }: CallFailure): CsiError {
  const name = status[code] as CsiCode | "DATA_LOSS" | "OK" | undefined;
  const known = name === undefined || name === "OK" || name === "DATA_LOSS" ? "UNKNOWN" : name;
  return new CsiError(known, text, { cause });
}

/** This project's error, as a server answers it. */
export function statusFromCsiError(error: unknown): { code: status; details: string } {
  if (error instanceof CsiError) return { code: status[error.code], details: error.message };
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}

import { status } from "@grpc/grpc-js";
import type { CallFailure } from "./connection.ts";
import { type RpcCode, RpcError } from "./rpc-error.ts";

/** Converts a failed call into an RpcError; the message remains the plugin's own text. */
export function rpcErrorOf({ code, text, cause }: CallFailure): RpcError {
  const name = status[code] as RpcCode | "DATA_LOSS" | "OK" | undefined;
  const known = name === undefined || name === "OK" || name === "DATA_LOSS" ? "UNKNOWN" : name;
  return new RpcError(known, text, { cause });
}

/** Returns the status with which a server answers an error; an RpcError keeps its code. */
export function statusOfError(error: unknown): { code: status; details: string } {
  if (error instanceof RpcError) return { code: status[error.code], details: error.message };
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}

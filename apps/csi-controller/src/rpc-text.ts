import { messageOf } from "@kintsugi/api";
import { isRpcError, type RpcCode } from "@kintsugi/grpc";

/**
 * Returns a driver's error as gRPC's Go client prints it: "rpc error: code = NotFound desc = …".
 */
export function rpcText(error: unknown): string {
  if (!isRpcError(error)) return messageOf(error);
  return `rpc error: code = ${codeText(error.code)} desc = ${error.message}`;
}

/** Returns the code as Go writes it: "NotFound". */
export function codeText(code: RpcCode): string {
  return code
    .toLowerCase()
    .split("_")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");
}

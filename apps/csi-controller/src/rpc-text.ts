import { isCsiError } from "@kintsugi/csi";

/**
 * Returns a driver's error as gRPC's Go client prints it: "rpc error: code = NotFound desc = …".
 */
export function rpcText(error: unknown): string {
  if (!isCsiError(error)) return error instanceof Error ? error.message : String(error);
  const code = error.code
    .toLowerCase()
    .split("_")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");
  return `rpc error: code = ${code} desc = ${error.message}`;
}

import { RpcError } from "@kintsugi/grpc";
import type { PageRequest } from "../messages.ts";

/**
 * Returns one page of the entries. A token is the number of entries before the page.
 * @throws RpcError ABORTED for a token that a page did not return.
 */
export function pageOf<T>(
  entries: readonly T[],
  { maxEntries, startingToken }: PageRequest,
): { page: readonly T[]; nextToken: string } {
  const start = startingToken === "" ? 0 : Number(startingToken);
  if (!Number.isSafeInteger(start) || start < 0 || start > entries.length)
    throw new RpcError("ABORTED", `starting_token ${JSON.stringify(startingToken)} was not issued by this driver`);
  if (maxEntries < 0) throw new RpcError("INVALID_ARGUMENT", "max_entries must not be negative");
  const end = maxEntries === 0 ? entries.length : Math.min(entries.length, start + maxEntries);
  return { page: entries.slice(start, end), nextToken: end < entries.length ? String(end) : "" };
}

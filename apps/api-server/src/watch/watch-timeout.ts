import { badRequest } from "@kintsugi/api";
import { jittered, type Random } from "@kintsugi/clock";
import type { RequestQuery } from "../request/request-path.ts";

/**
 * Returns the time after which a watch ends: `timeoutSeconds` of its query, or a random time
 * between the minimum timeout and twice the minimum.
 * @throws ApiError BadRequest
 */
export function readWatchTimeoutMs(
  query: RequestQuery,
  random: Random,
  { watchTimeoutMinMs }: { watchTimeoutMinMs: number },
): number {
  const text = query.get("timeoutSeconds");
  if (text === null || text === "" || text === "0") return jittered(random, watchTimeoutMinMs, 1);
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`timeoutSeconds: ${JSON.stringify(text)} is not a number`);
  return Number(text) * 1000;
}

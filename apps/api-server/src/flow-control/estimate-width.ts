import type { RequestInfo } from "../request/request-info.ts";

/**
 * Upstream's estimate: a seat for each hundred objects that a list reads, with at most ten seats.
 */
const [objectsPerSeat, seatsMax] = [100, 10] as const;

/**
 * The seats that a request takes. A list of many objects takes as many seats as several requests.
 * `count` is the number of stored objects of the resource; `levelSeats` are the seats of its level.
 */
export function estimateWidth(info: RequestInfo, { count, levelSeats }: { count: number; levelSeats: number }): number {
  if (info.verb !== "list") return 1;
  const { query } = info;
  const limit = Number(query.get("limit") ?? "") || 0;
  const isFromHistory = query.has("continue") || (limit > 0 && query.get("resourceVersion") !== "0");
  const isSelecting = query.has("fieldSelector") || query.has("labelSelector");
  const page = limit > 0 && limit < count ? limit : count;
  const read = !isFromHistory ? count : isSelecting ? count + page : 2 * page;
  // Upstream limits a request to 15 % of its level.
  const most = Math.max(1, Math.min(seatsMax, Math.ceil(levelSeats * 0.15)));
  return Math.min(most, Math.max(1, Math.ceil(read / objectsPerSeat)));
}

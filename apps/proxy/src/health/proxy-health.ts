import { formatTimestamp } from "@kintsugi/api";
import type { ProxyState } from "../proxy.ts";

export interface HealthAnswer {
  readonly status: 200 | 503;
  /**
   * As upstream's proxy answers (pkg/proxy/healthcheck): load balancers and their operators read
   * it.
   */
  readonly body: Record<string, string | boolean>;
}

/**
 * `nowMs` is of the wall, `monotonicMs` of the clock by which the state says since when it waits.
 */
export interface HealthTimes {
  readonly nowMs: number;
  readonly monotonicMs: number;
  readonly timeoutMs: number;
}

/**
 * Whether the rules keep up: nothing has waited for longer than `timeoutMs` to be in them. /healthz
 * also says whether the node is to be led to at all; /livez does not, because a proxy on a node
 * that goes is as it should be.
 */
export function proxyHealth(
  page: "healthz" | "livez",
  state: ProxyState,
  { nowMs, monotonicMs, timeoutMs }: HealthTimes,
): HealthAnswer {
  const { waitingSinceMs, lastSyncedMs, nodeEligible } = state;
  const keepsUp = waitingSinceMs === undefined || monotonicMs - waitingSinceMs < timeoutMs;
  const healthy = keepsUp && (page === "livez" || nodeEligible);
  const currentTime = formatTimestamp(nowMs);
  // Who is healthy is up to date at this moment, however long ago something changed.
  const lastUpdated = healthy ? currentTime : lastSyncedMs === undefined ? "" : formatTimestamp(lastSyncedMs);
  return {
    status: healthy ? 200 : 503,
    body: { lastUpdated, currentTime, ...(page === "healthz" ? { nodeEligible } : {}) },
  };
}

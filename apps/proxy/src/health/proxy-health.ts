import { formatTimestamp } from "@kintsugi/api";
import type { ProxyState } from "../proxy.ts";

export interface HealthAnswer {
  readonly status: 200 | 503;
  /**
   * The answer of upstream's proxy (pkg/proxy/healthcheck): load balancers and their operators read
   * it.
   */
  readonly body: Record<string, string | boolean>;
}

/** `nowMs` is wall time, `monotonicMs` the clock of the times in the state. */
export interface HealthTimes {
  readonly nowMs: number;
  readonly monotonicMs: number;
  readonly timeoutMs: number;
}

/**
 * Decides whether the rules keep up: no change has waited for longer than `timeoutMs`. /healthz
 * also reports whether load balancers may use the node at all; /livez does not, because a proxy on
 * a node that goes is healthy.
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
  // A healthy proxy is up to date at this moment, even if its last change was long ago.
  const lastUpdated = healthy ? currentTime : lastSyncedMs === undefined ? "" : formatTimestamp(lastSyncedMs);
  return {
    status: healthy ? 200 : 503,
    body: { lastUpdated, currentTime, ...(page === "healthz" ? { nodeEligible } : {}) },
  };
}

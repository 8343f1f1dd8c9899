import { formatTimestamp } from "@kintsugi/api";
import type { ProxyState } from "../proxy.ts";

export interface HealthAnswer {
  readonly status: 200 | 503;
  /**
   * The answer of upstream's proxy (pkg/proxy/healthcheck), which load balancers and their
   * operators read.
   */
  readonly body: Record<string, string | boolean>;
}

/** `nowMs` is wall time; the times in the state are of the `monotonicMs` clock. */
export interface HealthTimes {
  readonly nowMs: number;
  readonly monotonicMs: number;
  readonly timeoutMs: number;
}

/**
 * Decides whether the rules are up to date: no change has waited for longer than `timeoutMs`.
 * /healthz also reports whether load balancers may use the node at all; /livez does not, because a
 * proxy on a node that is being removed is healthy.
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

import { type Deployment, scaledCount } from "@kintsugi/api";

/**
 * A Deployment may stray this far from its number of pods, in pods. Both are 0 for one that
 * recreates them.
 */
export interface Fenceposts {
  maxSurge: number;
  maxUnavailable: number;
}

/**
 * Upstream's ResolveFenceposts and MaxUnavailable: surges are rounded up, absences down, and one of
 * them lets a rollout move.
 */
export function fencepostsOf({ spec }: Deployment): Fenceposts {
  if (spec?.strategy?.type === "Recreate") return { maxSurge: 0, maxUnavailable: 0 };
  const replicas = spec?.replicas ?? 1;
  const { maxSurge = 0, maxUnavailable = 0 } = spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledCount(maxSurge, replicas, "up");
  const unavailable = scaledCount(maxUnavailable, replicas, "down");
  if (replicas === 0) return { maxSurge: surge, maxUnavailable: 0 };
  return { maxSurge: surge, maxUnavailable: Math.min(replicas, surge + unavailable === 0 ? 1 : unavailable) };
}

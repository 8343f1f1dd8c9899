import { type Deployment, scaledCount } from "@kintsugi/api";

/**
 * The number of pods by which a Deployment may exceed or fall below its size. Both numbers are 0
 * for strategy Recreate.
 */
export interface Fenceposts {
  maxSurge: number;
  maxUnavailable: number;
}

/**
 * Upstream's ResolveFenceposts and MaxUnavailable: the surge is rounded up, the number of
 * unavailable pods down, and at least one of the two numbers is positive so that a rollout can
 * progress.
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

import type { BoundPod } from "../../model/bound-pod.ts";

/**
 * How many seconds a pod gets to stop (pod_workers.go calculateEffectiveGracePeriod). It can only
 * shrink, never reaches less than one, and what the API says beats what the spec says.
 */
export function effectiveGraceSeconds(
  pod: BoundPod,
  before: number | undefined,
  requested: number | undefined,
): number {
  const said = [before, pod.metadata.deletionGracePeriodSeconds, requested].filter((each) => each !== undefined);
  const seconds = said.length > 0 ? Math.min(...said) : (pod.spec.terminationGracePeriodSeconds ?? 30);
  return Math.max(1, seconds);
}

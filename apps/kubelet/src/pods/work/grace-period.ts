import { defaultGracePeriodSeconds } from "@kintsugi/api";
import type { BoundPod } from "../../model/bound-pod.ts";

/**
 * Returns the seconds that a pod gets to stop (pod_workers.go calculateEffectiveGracePeriod). They
 * can only decrease, are at least one, and the API's value takes precedence over the spec's.
 */
export function effectiveGraceSeconds(
  pod: BoundPod,
  before: number | undefined,
  requested: number | undefined,
): number {
  const said = [before, pod.metadata.deletionGracePeriodSeconds, requested].filter((each) => each !== undefined);
  const seconds =
    said.length > 0 ? Math.min(...said) : (pod.spec.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds);
  return Math.max(1, seconds);
}

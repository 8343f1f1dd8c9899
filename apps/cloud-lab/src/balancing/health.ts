/** The health of one target, as its balancer has determined it. */
export interface TargetHealth {
  readonly healthy: boolean;
  /** Consecutive answers that contradict `healthy`. */
  readonly against: number;
}

export interface HealthThresholds {
  /** Consecutive failures after which a target does not get connections. Default 2. */
  readonly failuresMax: number;
  /** Consecutive successes after which the target gets connections again. Default 1. */
  readonly successesMin: number;
}

const healthThresholds: HealthThresholds = { failuresMax: 2, successesMin: 1 };

/** A target that was never checked does not get connections. */
export const unknownHealth: TargetHealth = { healthy: false, against: 0 };

export function afterCheck(
  { healthy, against }: TargetHealth,
  succeeded: boolean,
  { failuresMax, successesMin }: HealthThresholds = healthThresholds,
): TargetHealth {
  if (succeeded === healthy) return { healthy, against: 0 };
  const contradictions = against + 1;
  const enough = healthy ? contradictions >= failuresMax : contradictions >= successesMin;
  return enough ? { healthy: succeeded, against: 0 } : { healthy, against: contradictions };
}

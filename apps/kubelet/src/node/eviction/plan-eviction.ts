import { conditionOf, type EvictionSignal, type Observations, type PressureCondition } from "./signals.ts";
import { type Threshold, thresholdsMet } from "./thresholds.ts";

// Pressure comes and goes like this, for a soft threshold of 1 min with a transition period of 5
// min:
//
//   below the threshold      condition True at once; the grace period begins
//   still below after 1 min  reclaim: first the node's own, then one pod per round, until value +
//                            minimum reclaim is available
//   above it                 condition True for 5 min more, so that it does not flap, then False

/** The state that is kept from one inspection of the node to the next. */
export interface EvictionState {
  /** The time since which each threshold has been met without a break. */
  readonly firstMetMs: ReadonlyMap<Threshold, number>;
  /** The time at which each condition was last justified. */
  readonly lastSeenMs: ReadonlyMap<PressureCondition, number>;
  /** Met for their grace period, and not yet over. */
  readonly met: readonly Threshold[];
}

export const noPressure: EvictionState = { firstMetMs: new Map(), lastSeenMs: new Map(), met: [] };

export interface EvictionPolicy {
  thresholds: readonly Threshold[];
  /**
   * A condition outlasts its reason by this long (`--eviction-pressure-transition-period`). Default
   * 5 min.
   */
  pressureTransitionPeriodMs: number;
}

export interface EvictionPlan {
  state: EvictionState;
  /** The conditions in upstream's order of finding them. */
  conditions: readonly PressureCondition[];
  /** The scarce resources, the most urgent first; empty: nothing is to be reclaimed. */
  reclaim: readonly Threshold[];
}

/** Plans by the node's own numbers (managerImpl.synchronize, up to where pods are judged). */
export function planEviction(
  observed: { observations: Observations; state: EvictionState },
  policy: EvictionPolicy,
  nowMs: number,
): EvictionPlan {
  const { observations, state } = observed;
  const unresolved = thresholdsMet(state.met, observations, { minReclaim: true });
  const met = [...new Set([...thresholdsMet(policy.thresholds, observations, { minReclaim: false }), ...unresolved])];
  const firstMetMs = new Map(met.map((threshold) => [threshold, state.firstMetMs.get(threshold) ?? nowMs]));
  const lastSeenMs = new Map(state.lastSeenMs);
  for (const { signal } of met) lastSeenMs.set(conditionOf[signal], nowMs);
  for (const [condition, atMs] of lastSeenMs) {
    if (nowMs - atMs >= policy.pressureTransitionPeriodMs && nowMs !== atMs) lastSeenMs.delete(condition);
  }
  const overdue = met.filter((threshold) => nowMs - (firstMetMs.get(threshold) ?? nowMs) >= threshold.gracePeriodMs);
  return {
    state: { firstMetMs, lastSeenMs, met: overdue },
    conditions: [...lastSeenMs.keys()],
    reclaim: overdue.toSorted((a, b) => urgency(a.signal) - urgency(b.signal)),
  };
}

/** Memory before all else: without it the node fails. */
function urgency(signal: EvictionSignal): number {
  return signal === "memory.available" ? 0 : 1;
}

import { conditionOf, type EvictionSignal, type Observations, type PressureCondition } from "./signals.ts";
import { type Threshold, thresholdsMet } from "./thresholds.ts";

// The course of pressure, for a soft threshold of 1 min with a transition period of 5 min:
//
//   below the threshold      condition True immediately; the grace period begins
//   still below after 1 min  reclaim: first node resources, then one pod per round, until value +
//                            minimum reclaim is available
//   above it                 condition True for 5 min more, so that it does not flap, then False

/** The state that is kept from one inspection of the node to the next. */
export interface EvictionState {
  /** The time from which each threshold has been met without interruption. */
  readonly firstMetMs: ReadonlyMap<Threshold, number>;
  /** The time at which each condition last applied. */
  readonly lastSeenMs: ReadonlyMap<PressureCondition, number>;
  /** Thresholds that were met for their grace period, and still apply. */
  readonly met: readonly Threshold[];
}

export const noPressure: EvictionState = { firstMetMs: new Map(), lastSeenMs: new Map(), met: [] };

export interface EvictionPolicy {
  thresholds: readonly Threshold[];
  /**
   * Time for which a condition remains after its reason has ended
   * (`--eviction-pressure-transition-period`). Default 5 min.
   */
  pressureTransitionPeriodMs: number;
}

export interface EvictionPlan {
  state: EvictionState;
  /** The conditions in the order in which upstream finds them. */
  conditions: readonly PressureCondition[];
  /** The scarce resources, the most urgent first; empty when no resource has to be reclaimed. */
  reclaim: readonly Threshold[];
}

/** Plans from the node's own figures (managerImpl.synchronize, up to the ranking of pods). */
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

/** Memory is first, because the node fails without it. */
function urgency(signal: EvictionSignal): number {
  return signal === "memory.available" ? 0 : 1;
}

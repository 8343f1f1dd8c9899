/** A number of replicas that the metrics recommended, with its time. */
export interface Recommendation {
  replicas: number;
  atMs: number;
}

/** A change of the number of replicas, without its sign. */
export interface ScaleEvent {
  change: number;
  atMs: number;
}

/**
 * The recent history of one autoscaler. Like upstream's, it is kept in memory: after a restart, the
 * present number of replicas is the first recommendation, so scaling down waits for a whole window
 * again.
 */
export interface ScalingHistory {
  recommendations: readonly Recommendation[];
  ups: readonly ScaleEvent[];
  downs: readonly ScaleEvent[];
}

/**
 * An hour, the longest window, has 3,600 decisions at one a second. If spec changes cause more, the
 * oldest are dropped.
 */
const entriesMax = 4096;

export function beginHistory(replicas: number, atMs: number): ScalingHistory {
  return { recommendations: [{ replicas, atMs }], ups: [], downs: [] };
}

export function withRecommendation(history: ScalingHistory, newest: Recommendation, windowMs: number): ScalingHistory {
  return { ...history, recommendations: appended(history.recommendations, newest, windowMs) };
}

export function withScaleEvent(history: ScalingHistory, direction: "ups" | "downs", event: ScaleEvent): ScalingHistory {
  return { ...history, [direction]: appended(history[direction], event, policyPeriodMaxMs) };
}

/**
 * True where the clock was ahead and was then corrected: entries from that time would otherwise
 * count as recent for too long.
 */
export function isAhead({ recommendations, ups, downs }: ScalingHistory, nowMs: number): boolean {
  return [...recommendations, ...ups, ...downs].some(({ atMs }) => atMs > nowMs);
}

/** The longest period of a policy that validation admits. */
const policyPeriodMaxMs = 1_800_000;

function appended<T extends { atMs: number }>(entries: readonly T[], newest: T, windowMs: number): T[] {
  const recent = entries.filter(({ atMs }) => atMs >= newest.atMs - windowMs);
  return [...recent.slice(-(entriesMax - 1)), newest];
}

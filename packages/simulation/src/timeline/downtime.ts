/** The number of a workload's pods, from this instant to the next sample. */
export interface AvailabilitySample {
  /** The time after the scenario began. */
  readonly atMs: number;
  readonly wanted: number;
  /** The API's count: active pods that are Ready. */
  readonly ready: number;
  /** Ready pods whose containers really run, on a machine that is on and connected. */
  readonly available: number;
}

export interface Downtime {
  /** Time during which no pod was available although the workload wanted pods. */
  readonly downtimeMs: number;
  /** Time during which fewer pods than wanted were available. */
  readonly degradedMs: number;
  /** Time during which fewer pods were available than the budget requires. */
  readonly belowBudgetMs: number;
  /**
   * The time during which more pods were Ready in the API than available, because no process had
   * detected the failure yet.
   */
  readonly undetectedMs: number;
  /** The longest time from the first missing pod until all pods were available. */
  readonly recoveryMs: number;
  /** True if pods were still missing at the end. */
  readonly isDegradedAtEnd: boolean;
}

/**
 * Sums the missing pods between the beginning and the end. Samples are in order; the last sample
 * before the beginning counts.
 */
export function measureDowntime(
  samples: readonly AvailabilitySample[],
  options: { endMs: number; minAvailable: number },
): Downtime {
  const { endMs, minAvailable } = options;
  const total = { downtimeMs: 0, degradedMs: 0, belowBudgetMs: 0, undetectedMs: 0, recoveryMs: 0 };
  let missingSinceMs: number | undefined;
  for (const { sample, fromMs, toMs } of spans(samples, endMs)) {
    const { wanted, ready, available } = sample;
    const durationMs = toMs - fromMs;
    if (wanted > 0 && available === 0) total.downtimeMs += durationMs;
    if (available < Math.min(minAvailable, wanted)) total.belowBudgetMs += durationMs;
    if (ready > available) total.undetectedMs += durationMs;
    if (available >= wanted) missingSinceMs = undefined;
    else {
      total.degradedMs += durationMs;
      missingSinceMs ??= fromMs;
      total.recoveryMs = Math.max(total.recoveryMs, toMs - missingSinceMs);
    }
  }
  return { ...total, isDegradedAtEnd: missingSinceMs !== undefined };
}

interface Span {
  sample: AvailabilitySample;
  fromMs: number;
  toMs: number;
}

/** The samples with their durations, from 0 to the end. */
function spans(samples: readonly AvailabilitySample[], endMs: number): Span[] {
  return samples.flatMap((sample, index) => {
    const fromMs = Math.max(0, sample.atMs);
    const toMs = Math.min(endMs, samples[index + 1]?.atMs ?? endMs);
    return toMs > fromMs ? [{ sample, fromMs, toMs }] : [];
  });
}

/** The summary of a set of measurements, in their unit. */
export interface Distribution {
  readonly count: number;
  readonly min: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** @throws RangeError for an empty set, because a measurement without samples is not evidence. */
export function describeSamples(samples: readonly number[]): Distribution {
  if (samples.length === 0) throw new RangeError("no samples");
  const sorted = [...samples].sort((a, b) => a - b);
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return { count: sorted.length, min: sorted[0] ?? 0, p50, p99, max: sorted.at(-1) ?? 0 };
}

/** Returns the value of the nearest rank, as `kintsugi rehearse` ranks; 0 for an empty set. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

export function median(samples: readonly number[]): number {
  return describeSamples(samples).p50;
}

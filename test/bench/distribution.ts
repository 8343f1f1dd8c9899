/** The summary of a set of measurements, in the unit they were taken in. */
export interface Distribution {
  readonly count: number;
  readonly min: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * @throws RangeError when there is nothing to describe: a measurement without samples proves
 * nothing.
 */
export function describeSamples(samples: readonly number[]): Distribution {
  if (samples.length === 0) throw new RangeError("no samples");
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { count: sorted.length, min: sorted[0] ?? 0, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

export function median(samples: readonly number[]): number {
  return describeSamples(samples).p50;
}

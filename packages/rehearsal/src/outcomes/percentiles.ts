/** The distribution of one measure over the runs of a question, in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly worst: number;
}

/** The nearest rank: a value that was measured in a run, not a mean of two. */
export function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), worst: sorted.at(-1) ?? 0 };
}

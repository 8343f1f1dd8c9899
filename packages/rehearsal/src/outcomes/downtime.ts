import type { Sample } from "./availability.ts";

/** The measures of one workload in one run. The words are the glossary's. */
export interface DowntimeSpan {
  /** No pod was available although some were wanted. */
  readonly downtimeMs: number;
  /** Fewer were available than before the fault. */
  readonly degradedMs: number;
  /** Fewer were than the budget keeps. */
  readonly belowBudgetMs: number;
  /** The fewest pods that were available at one time. */
  readonly fewest: number;
  /** No pod was available at the end. */
  readonly isDownAtEnd: boolean;
  readonly isDegradedAtEnd: boolean;
  readonly isBelowBudgetAtEnd: boolean;
}

/** @param options `minAvailable`: what the strictest budget keeps; 0 without one. */
export function downtimeWithin(
  samples: readonly Sample[],
  options: { endMs: number; before: number; minAvailable: number },
): DowntimeSpan {
  const { endMs, before, minAvailable } = options;
  const total = { downtimeMs: 0, degradedMs: 0, belowBudgetMs: 0 };
  samples.forEach(({ atMs, available }, index) => {
    const forMs = Math.max(0, Math.min(endMs, samples[index + 1]?.atMs ?? endMs) - atMs);
    if (available === 0) total.downtimeMs += forMs;
    if (available < before) total.degradedMs += forMs;
    if (available < Math.min(minAvailable, before)) total.belowBudgetMs += forMs;
  });
  const last = samples.at(-1)?.available ?? 0;
  return {
    ...total,
    fewest: Math.min(...samples.map(({ available }) => available)),
    isDownAtEnd: last === 0,
    isDegradedAtEnd: last < before,
    isBelowBudgetAtEnd: last < Math.min(minAvailable, before),
  };
}

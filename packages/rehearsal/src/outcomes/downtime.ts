import type { Sample } from "./availability.ts";

/** The measures of one workload in one run. The terms are defined in the glossary. */
export interface DowntimeSpan {
  /** Time in which no pod was available although the workload wanted pods. */
  readonly downtimeMs: number;
  /** Time in which fewer pods were available than before the fault. */
  readonly degradedMs: number;
  /** Time in which fewer pods were available than the budget requires. */
  readonly belowBudgetMs: number;
  /** The fewest pods that were available at one time. */
  readonly fewest: number;
  /** No pod was available at the end. */
  readonly isDownAtEnd: boolean;
  readonly isDegradedAtEnd: boolean;
  readonly isBelowBudgetAtEnd: boolean;
}

/**
 * @param options `minAvailable`: the number that the strictest budget requires; 0 without a budget.
 */
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

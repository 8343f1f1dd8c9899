/**
 * The shortest time between two counters for a new rate. A rate over less time would be too
 * inaccurate, so the previous rate still applies.
 */
const intervalMinMs = 500;

interface Counter {
  nanoseconds: number;
  atMs: number;
}

/** Rates of processor use, computed from monotonic counters of processor time. */
export class ProcessorRates {
  #known = new Map<string, Counter & { rate: number | undefined }>();
  #seen = new Set<string>();

  /**
   * Returns the rate in billionths of a core; undefined until a counter was read twice, and after
   * it was reset.
   */
  rateOf(key: string, counter: Counter): number | undefined {
    this.#seen.add(key);
    const before = this.#known.get(key);
    if (before && counter.atMs - before.atMs < intervalMinMs) return before.rate;
    const grown = before ? counter.nanoseconds - before.nanoseconds : -1;
    const rate = before && grown >= 0 ? Math.round((grown / (counter.atMs - before.atMs)) * 1000) : undefined;
    this.#known.set(key, { ...counter, rate });
    return rate;
  }

  /** Removes the counters that were not read since the last call. */
  forgetUnseen(): void {
    for (const key of this.#known.keys()) if (!this.#seen.has(key)) this.#known.delete(key);
    this.#seen = new Set();
  }
}

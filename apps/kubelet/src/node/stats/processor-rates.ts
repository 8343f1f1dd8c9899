/** Counters closer together than this are too inaccurate: the rate from before still holds. */
const intervalMinMs = 500;

interface Counter {
  nanoseconds: number;
  atMs: number;
}

/** Processor time per time, from counters that only grow. */
export class ProcessorRates {
  #known = new Map<string, Counter & { rate: number | undefined }>();
  #seen = new Set<string>();

  /**
   * Returns the rate in billionths of a core; undefined until a counter was seen twice, and when it
   * has begun again.
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

  /** Forgets the counters without a call since the last time. */
  forgetUnseen(): void {
    for (const key of this.#known.keys()) if (!this.#seen.has(key)) this.#known.delete(key);
    this.#seen = new Set();
  }
}

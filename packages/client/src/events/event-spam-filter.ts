import { LruMap } from "@kintsugi/clock";

/** The number of events that an object's source may send in a burst, as in client-go. */
const burst = 25;
/** Interval after the burst in which one more event is allowed. */
const refillMs = 300_000;

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** One token bucket per source and object. */
export class EventSpamFilter {
  readonly #buckets: LruMap<string, Bucket>;

  constructor(keysMax: number) {
    this.#buckets = new LruMap(keysMax);
  }

  /** Takes a token and returns true if one more event may be sent. */
  admits(key: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(key) ?? { tokens: burst, filledMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.filledMs) / refillMs);
    const admitted = tokens >= 1;
    this.#buckets.set(key, { tokens: admitted ? tokens - 1 : tokens, filledMs: nowMs });
    return admitted;
  }
}

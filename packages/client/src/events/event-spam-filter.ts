import { LruMap } from "@kintsugi/clock";

/** The events that an object's source may send at the same time, as in client-go, */
const burst = 25;
/** and then one more every 5 minutes. */
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

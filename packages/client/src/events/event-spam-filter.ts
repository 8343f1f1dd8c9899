import { BoundedMap } from "./bounded-map.ts";

/** As client-go: an object's source may send this many events at once, */
const burst = 25;
/** and then one more every 5 minutes. */
const refillMs = 300_000;

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** One token bucket per source and object. */
export class EventSpamFilter {
  readonly #buckets: BoundedMap<Bucket>;

  constructor(keysMax: number) {
    this.#buckets = new BoundedMap(keysMax);
  }

  /** Whether one more may be sent; takes a token if so. */
  admits(key: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(key) ?? { tokens: burst, filledMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.filledMs) / refillMs);
    const admitted = tokens >= 1;
    this.#buckets.set(key, { tokens: admitted ? tokens - 1 : tokens, filledMs: nowMs });
    return admitted;
  }
}

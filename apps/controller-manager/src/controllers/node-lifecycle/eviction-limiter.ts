import type { Clock } from "@kintsugi/clock";

interface ZoneQueue {
  ratePerSecond: number;
  /** The tokens, at most 1: upstream's EvictionRateLimiterBurst. */
  tokens: number;
  countedMs: number;
  /** Nodes that wait for a token, in the order of their requests; each once. */
  waiting: Set<string>;
}

export type Admission = { granted: true } | { granted: false; retryAfterMs: number | undefined };

/**
 * Limits the evictions of each zone to the zone's rate, one node after another. A zone's first node
 * does not wait. A changed rate applies from then on, without credit for the time before.
 */
export class EvictionLimiter {
  readonly #clock: Clock;
  readonly #defaultRate: number;
  readonly #zones = new Map<string, ZoneQueue>();

  constructor(deps: { clock: Clock }, options: { defaultRatePerSecond: number }) {
    this.#clock = deps.clock;
    this.#defaultRate = options.defaultRatePerSecond;
  }

  setRate(zone: string, ratePerSecond: number): void {
    const queue = this.#zone(zone);
    if (queue.ratePerSecond === ratePerSecond) return;
    this.#accrue(queue);
    if (queue.tokens < 1) queue.tokens = 0;
    queue.ratePerSecond = ratePerSecond;
  }

  /**
   * Requests a token for a node. `retryAfterMs` is the earliest time of its turn; undefined while
   * the zone's rate is 0.
   */
  request(zone: string, node: string): Admission {
    const queue = this.#zone(zone);
    queue.waiting.add(node);
    this.#accrue(queue);
    const [first] = queue.waiting;
    if (first === node && queue.tokens >= 1 && queue.ratePerSecond > 0) {
      queue.waiting.delete(node);
      queue.tokens -= 1;
      return { granted: true };
    }
    if (queue.ratePerSecond === 0) return { granted: false, retryAfterMs: undefined };
    const place = [...queue.waiting].indexOf(node);
    const missing = Math.max(0, place + 1 - queue.tokens);
    return { granted: false, retryAfterMs: Math.ceil((missing * 1000) / queue.ratePerSecond) };
  }

  /** Withdraws the request of a node that no longer has to be evicted. */
  withdraw(zone: string, node: string): void {
    this.#zones.get(zone)?.waiting.delete(node);
  }

  /** Drops the state of zones that no longer have nodes. */
  keepOnly(zones: ReadonlySet<string>): void {
    for (const zone of this.#zones.keys()) if (!zones.has(zone)) this.#zones.delete(zone);
  }

  #zone(name: string): ZoneQueue {
    const known = this.#zones.get(name);
    if (known) return known;
    const fresh = {
      ratePerSecond: this.#defaultRate,
      tokens: 1,
      countedMs: this.#clock.monotonicMs(),
      waiting: new Set<string>(),
    };
    this.#zones.set(name, fresh);
    return fresh;
  }

  #accrue(queue: ZoneQueue): void {
    const nowMs = this.#clock.monotonicMs();
    const earned = ((nowMs - queue.countedMs) * queue.ratePerSecond) / 1000;
    // The sum is rounded, so that ten periods of a tenth make a whole token.
    queue.tokens = Math.min(1, Math.round((queue.tokens + earned) * 1e9) / 1e9);
    queue.countedMs = nowMs;
  }
}

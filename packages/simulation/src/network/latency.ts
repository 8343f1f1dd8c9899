import type { Clock, Random } from "@kintsugi/clock";
import type { Fate } from "@kintsugi/watch-stream/testing";

/** What messages take: anything up to a maximum, and over the bus never out of order. */
export class Latency {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #maxMs: number;
  /** When the last message to each client of the bus arrives. */
  readonly #lastDueMs = new Map<string, number>();

  constructor(deps: { clock: Clock; random: Random }, options: { maxMs: number }) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#maxMs = options.maxMs;
  }

  /** Nothing to wait for when messages take no time. */
  pass(): Promise<void> | undefined {
    return this.#maxMs > 0 ? this.#clock.sleep(this.#drawMs()) : undefined;
  }

  fateTo(client: string): Fate {
    if (this.#maxMs === 0) return "deliver";
    const nowMs = this.#clock.monotonicMs();
    const dueMs = Math.max(this.#lastDueMs.get(client) ?? 0, nowMs + this.#drawMs());
    this.#lastDueMs.set(client, dueMs);
    return { delayMs: dueMs - nowMs };
  }

  #drawMs(): number {
    return this.#random.integer(this.#maxMs + 1);
  }
}

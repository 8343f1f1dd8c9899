import type { Clock, Random } from "@kintsugi/clock";
import type { Fate } from "@kintsugi/watch-stream/testing";

interface Arrival {
  sentMs: number;
  dueMs: number;
}

/** What messages take: anything up to a maximum. Over the bus they keep their order, and what is sent at once arrives at once. */
export class Latency {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #maxMs: number;
  /** The last message to each client of the bus. */
  readonly #last = new Map<string, Arrival>();

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
    const last = this.#last.get(client);
    if (last?.sentMs === nowMs) return { delayMs: last.dueMs - nowMs };
    const dueMs = Math.max(last?.dueMs ?? 0, nowMs + this.#drawMs());
    this.#last.set(client, { sentMs: nowMs, dueMs });
    return { delayMs: dueMs - nowMs };
  }

  #drawMs(): number {
    return this.#random.integer(this.#maxMs + 1);
  }
}

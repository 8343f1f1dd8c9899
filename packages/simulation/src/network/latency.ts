import type { Clock, Random } from "@kintsugi/clock";
import type { Fate } from "@kintsugi/watch-stream/simulated";
import { type SeededRandomSource, RandomOfEach } from "../random-source.ts";

interface Arrival {
  sentMs: number;
  dueMs: number;
}

/**
 * The delay of messages, up to a maximum. Messages over the bus keep their order, and messages that
 * are sent at the same time arrive at the same time.
 */
export class Latency {
  readonly #clock: Clock;
  readonly #ofRequests: RandomOfEach;
  readonly #ofBus: RandomOfEach;
  readonly #maxMs: number;
  /** The last message to each client of the bus. */
  readonly #last = new Map<string, Arrival>();

  constructor({ clock, randomSource }: { clock: Clock; randomSource: SeededRandomSource }, options: { maxMs: number }) {
    this.#clock = clock;
    this.#ofRequests = new RandomOfEach(randomSource, "requests of");
    this.#ofBus = new RandomOfEach(randomSource, "the bus to");
    this.#maxMs = options.maxMs;
  }

  /**
   * Delays a request of a caller, or its response. Returns undefined, without a wait, if messages
   * take no time.
   */
  pass(caller: string): Promise<void> | undefined {
    return this.#maxMs > 0 ? this.#clock.sleep(this.#drawMs(this.#ofRequests.of(caller))) : undefined;
  }

  fateTo(client: string): Fate {
    if (this.#maxMs === 0) return "deliver";
    const nowMs = this.#clock.monotonicMs();
    const last = this.#last.get(client);
    if (last?.sentMs === nowMs) return { delayMs: last.dueMs - nowMs };
    const dueMs = Math.max(last?.dueMs ?? 0, nowMs + this.#drawMs(this.#ofBus.of(client)));
    this.#last.set(client, { sentMs: nowMs, dueMs });
    return { delayMs: dueMs - nowMs };
  }

  #drawMs(random: Random): number {
    return random.integer(this.#maxMs + 1);
  }
}

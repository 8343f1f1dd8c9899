import type { HandlerRequest } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { Calm } from "../calm.ts";
import type { InvariantContext } from "../invariants/invariant-list.ts";
import type { Check, Invariant } from "../invariants/invariant.ts";
import type { Level } from "./levels.ts";

const second = 1000;
/** What a crowd may take to disperse once nobody makes it grow: L9's 30 s, and as much for whoever was away. */
const settleMs = 60 * second;
/** A hundred times what an answer takes here at most. */
const answerMs = 5 * second;
/** Whatever a queue holds is work for moments; nobody adds to it in calm as fast as it is taken. */
const emptyMs = 30 * second;

/** L9: what was too much passes, and leaves nothing behind: answers come at once again, and queues are empty. */
export class AtRestAgain implements Invariant {
  readonly name = "L9";
  readonly never =
    "in calm, a minute after it began, a request that takes 5 s, or a work queue that is not empty once in 30 s";
  readonly #calm: Calm;
  readonly #clock: Clock;
  readonly #levels: () => Iterable<Level>;
  /** By owner and name, since when it has been seen with something in it. */
  #fullSinceMs = new Map<string, number>();

  constructor({ calm, clock, levels }: InvariantContext) {
    this.#calm = calm;
    this.#clock = clock;
    this.#levels = levels;
  }

  tick(check: Check): void {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#fullSinceMs;
    this.#fullSinceMs = new Map();
    for (const { owner, name, value } of this.#levels()) {
      const queue = `${name} of ${owner}`;
      if (value > 0) this.#fullSinceMs.set(queue, before.get(queue) ?? nowMs);
    }
    const atRestMs = this.#calm.forMs - settleMs;
    if (atRestMs <= 0) return;
    for (const [queue, sinceMs] of this.#fullSinceMs) {
      const fullMs = Math.min(nowMs - sinceMs, atRestMs);
      check(fullMs > emptyMs ? `the queue ${queue} has not been empty for ${fullMs} ms` : undefined);
    }
    if (this.#fullSinceMs.size === 0) check(undefined);
  }

  took({ method, path }: HandlerRequest, tookMs: number, check: Check): void {
    if (this.#calm.forMs - settleMs < tookMs) return;
    check(tookMs > answerMs ? `${method} ${path} took ${tookMs} ms` : undefined);
  }
}

import type { Invariant, InvariantContext } from "../invariant.ts";

const second = 1000;
/**
 * Longest time in which a backlog disappears once it no longer grows: the 30 s of a queue, and the
 * same time for clients that were disconnected.
 */
const settleMs = 60 * second;
/** A hundred times the longest response time in these runs. */
const answerMs = 5 * second;
/**
 * A queue's content is processed within moments; in a quiet period it grows slower than it is
 * processed.
 */
const emptyMs = 30 * second;

/**
 * The cluster recovers from an overload: responses arrive immediately again, and queues are empty.
 */
export function queuesDrain({ quietPeriod, clock, levels }: InvariantContext): Invariant {
  /** The time at which a queue was last empty, by owner and name. */
  let fullSinceMs = new Map<string, number>();

  return {
    name: "queues-drain",
    never:
      "in a quiet period, a minute after it began, a request that takes 5 s, or a work queue that is never empty within 30 s",
    tick(check) {
      const nowMs = clock.monotonicMs();
      const before = fullSinceMs;
      fullSinceMs = new Map();
      for (const { owner, name, value } of levels()) {
        const queue = `${name} of ${owner}`;
        if (value > 0) fullSinceMs.set(queue, before.get(queue) ?? nowMs);
      }
      const atRestMs = quietPeriod.forMs - settleMs;
      if (atRestMs <= 0) return;
      for (const [queue, sinceMs] of fullSinceMs) {
        const fullMs = Math.min(nowMs - sinceMs, atRestMs);
        check(fullMs > emptyMs ? `the queue ${queue} has not been empty for ${fullMs} ms` : undefined);
      }
      if (fullSinceMs.size === 0) check(undefined);
    },
    took({ method, path }, tookMs, check) {
      if (quietPeriod.forMs - settleMs < tookMs) return;
      check(tookMs > answerMs ? `${method} ${path} took ${tookMs} ms` : undefined);
    },
  };
}

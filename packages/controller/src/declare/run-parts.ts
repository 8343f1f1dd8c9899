import type { Clock } from "@kintsugi/clock";
import type { QueueController } from "../queue/queue-controller.ts";
import type { Periodic, QueueParts } from "./controller-parts.ts";
import type { KeyQueue } from "./watch.ts";
import type { QueueStarts } from "../queue/queue-starts.ts";
import type { Informers } from "./informer-pool.ts";

interface RunningParts {
  informers: Informers;
  clock: Clock;
  queues: readonly { parts: QueueParts; queue: QueueController }[];
  periodic: Periodic | undefined;
  queueStarts?: QueueStarts | undefined;
}

/** Works until the signal aborts. After its end, changes no longer wake keys. */
export async function runParts(
  { informers, clock, queues, periodic, queueStarts }: RunningParts,
  signal: AbortSignal,
): Promise<void> {
  const stops: (() => void)[] = [];
  try {
    for (const { parts, queue } of queues) {
      queueStarts?.observe(queue.queue);
      const given = queueStarts?.keysOf(queue.name);
      for (const key of given ?? parts.keysAtStart?.() ?? []) queue.enqueue(key);
      const woken = given === undefined ? queue : new WokenLater(queue);
      for (const watch of parts.watches) stops.push(watch.follow(informers, woken));
      if (woken instanceof WokenLater) woken.begin();
    }
    const running = queues.map(({ queue }) => queue.run(signal));
    if (periodic) running.push(repeat(periodic, clock, signal));
    await Promise.all(running);
  } finally {
    for (const stop of stops) stop();
  }
}

/** Ignores the keys of existing objects, which a watch wakes before it follows changes. */
class WokenLater implements KeyQueue {
  readonly #queue: KeyQueue;
  #hasBegun = false;

  constructor(queue: KeyQueue) {
    this.#queue = queue;
  }

  begin(): void {
    this.#hasBegun = true;
  }

  enqueue(key: string): void {
    if (this.#hasBegun) this.#queue.enqueue(key);
  }

  enqueueAfter(key: string, delayMs: number): void {
    if (this.#hasBegun) this.#queue.enqueueAfter(key, delayMs);
  }
}

async function repeat({ periodMs, work }: Periodic, clock: Clock, signal: AbortSignal): Promise<void> {
  const stopped = () => signal.aborted;
  while (!stopped()) {
    await work(signal);
    await clock.sleep(periodMs, signal, "routine").catch((error: unknown) => {
      if (!stopped()) throw error;
    });
  }
}

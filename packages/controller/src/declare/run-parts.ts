import type { Clock } from "@kintsugi/clock";
import type { QueueController } from "../queue/queue-controller.ts";
import type { Periodic, QueueParts } from "./controller-parts.ts";
import type { Informers } from "./informer-pool.ts";

interface RunningParts {
  informers: Informers;
  clock: Clock;
  queues: readonly { parts: QueueParts; queue: QueueController }[];
  periodic: Periodic | undefined;
}

/** Works until the signal aborts. After its end, changes no longer wake keys. */
export async function runParts(
  { informers, clock, queues, periodic }: RunningParts,
  signal: AbortSignal,
): Promise<void> {
  const stops: (() => void)[] = [];
  try {
    for (const { parts, queue } of queues) {
      for (const key of parts.keysAtStart?.() ?? []) queue.enqueue(key);
      for (const watch of parts.watches) stops.push(watch.follow(informers, queue));
    }
    const running = queues.map(({ queue }) => queue.run(signal));
    if (periodic) running.push(repeat(periodic, clock, signal));
    await Promise.all(running);
  } finally {
    for (const stop of stops) stop();
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

import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "@kintsugi/clock";

/** Time after which a service has connected and read its lists. */
const firstAfterMs = 15_000;
/** A collection takes 25 ms of processor time, so these collections take 0.004 % of a core. */
const everyMs = 600_000;

export interface GarbageAtRestDeps {
  clock: Pick<Clock, "after">;
  heapBytes: () => number;
  collect: () => void;
}

/**
 * A larger heap contains a cluster's objects, and its collection would stop the service for longer
 * than 50 ms.
 */
const heapMaxBytes = 32 * 1024 ** 2;

/**
 * Collects the garbage of a small service after its start, and every ten minutes. V8 keeps old
 * garbage and the room for young objects until its next full collection, which a service at rest
 * reaches after hours. A collection frees a sixth of such a service's memory.
 */
export function collectGarbageAtRest({ clock, heapBytes, collect }: GarbageAtRestDeps): void {
  const collectAfter = (delayMs: number): void => {
    const collectSmall = () => {
      if (heapBytes() <= heapMaxBytes) collect();
      collectAfter(everyMs);
    };
    clock.after(delayMs, collectSmall, "routine");
  };
  collectAfter(firstAfterMs);
}

/** This process's heap. */
export const ownHeap: Omit<GarbageAtRestDeps, "clock"> = {
  heapBytes: () => getHeapStatistics().used_heap_size,
  collect() {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    collect();
  },
};

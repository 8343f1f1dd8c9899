import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";

export interface CompactorDeps {
  store: Store;
  clock: Clock;
  log: Logger;
}

export interface CompactorOptions {
  /** The time between two compactions (`--etcd-compaction-interval`); 0 for never. */
  compactionIntervalMs: number;
}

/** Periodically removes history that no window needs, until the signal aborts. */
export async function runCompactor(
  deps: CompactorDeps,
  { compactionIntervalMs }: CompactorOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && compactionIntervalMs > 0) {
    try {
      await deps.clock.sleep(compactionIntervalMs, signal);
    } catch {
      return;
    }
    const { floor, removed } = await deps.store.compact();
    deps.log.debug("store compacted", { floor, removed });
  }
}

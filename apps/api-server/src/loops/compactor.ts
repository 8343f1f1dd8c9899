import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";

/** As etcd's in Kubernetes. */
const compactionIntervalMs = 5 * 60_000;

/** Drops history that no window needs, now and then, until the signal aborts. */
export async function runCompactor(
  deps: { store: Store; clock: Clock; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await deps.clock.sleep(compactionIntervalMs, signal);
    } catch {
      return;
    }
    const { floor, removed } = await deps.store.compact();
    deps.log.debug("store compacted", { floor, removed });
  }
}

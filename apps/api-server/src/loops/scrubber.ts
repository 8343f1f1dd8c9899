import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";

export interface ScrubberDeps {
  store: Store;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

export interface ScrubberOptions {
  /** The time between two scrubs (`--store-scrub-interval`); 0 for never. */
  scrubIntervalMs: number;
}

/**
 * Periodically reads the whole store again until the signal aborts. Disks decay, and damage to a
 * value that is never read would not be detected.
 * @throws StoreCorrupt when a value differs from the written value. The process then has to end,
 * and the next start names the damage again.
 */
export async function runScrubber(
  deps: ScrubberDeps,
  { scrubIntervalMs }: ScrubberOptions,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, log, metrics } = deps;
  const scrubs = metrics.counter({
    name: "kintsugi_store_scrubs_total",
    help: "Number of scrubs, which read the whole store again and compare it with the written data.",
    labels: ["result"],
  });
  const records = metrics.gauge({
    name: "kintsugi_store_scrub_records",
    help: "Number of records that the last scrub read.",
  });
  const seconds = metrics.gauge({
    name: "kintsugi_store_scrub_duration_seconds",
    help: "Duration of the last scrub in seconds.",
  });
  while (!signal.aborted && scrubIntervalMs > 0) {
    try {
      await clock.sleep(scrubIntervalMs, signal);
    } catch {
      return;
    }
    const startMs = clock.monotonicMs();
    try {
      const result = await store.scrub();
      const tookMs = clock.monotonicMs() - startMs;
      scrubs.add(1, { result: "ok" });
      records.set(result.records);
      seconds.set(tookMs / 1000);
      log.debug("store scrubbed", { records: result.records, tookMs });
    } catch (error) {
      scrubs.add(1, { result: "corrupt" });
      log.error("store differs from the written data", { error });
      throw error;
    }
  }
}

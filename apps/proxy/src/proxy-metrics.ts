import type { Counter, Gauge, Histogram, Metrics } from "@kintsugi/api";

type Changed = "service" | "endpoint";

/** The proxy's measurements, under upstream's names (pkg/proxy/metrics). */
export class ProxyMetrics {
  readonly #syncs: Histogram;
  readonly #fullSyncs: Histogram;
  readonly #partialSyncs: Histogram;
  readonly #networkProgramming: Histogram;
  readonly #failures: Counter;
  readonly #lastSync: Gauge;
  readonly #lastQueued: Gauge;
  readonly #withoutLocal: Gauge;
  readonly #changes: Readonly<Record<Changed, { pending: Gauge; total: Counter }>>;
  readonly #pending: Record<Changed, number> = { service: 0, endpoint: 0 };

  constructor(metrics: Metrics) {
    const sync = (name: string, help: string) =>
      metrics.histogram({ name: `kubeproxy_sync_${name}_duration_seconds`, help, buckets: doubling(0.001, 15) });
    this.#syncs = sync("proxy_rules", "SyncProxyRules latency in seconds");
    this.#fullSyncs = sync("full_proxy_rules", "SyncProxyRules latency in seconds for full resyncs");
    this.#partialSyncs = sync("partial_proxy_rules", "SyncProxyRules latency in seconds for partial resyncs");
    this.#networkProgramming = metrics.histogram({
      name: "kubeproxy_network_programming_duration_seconds",
      help: "In Cluster Network Programming Latency in seconds",
      buckets: networkProgrammingBuckets,
    });
    this.#failures = metrics.counter({
      name: "kubeproxy_sync_proxy_rules_nftables_sync_failures_total",
      help: "Cumulative proxy nftables sync failures",
    });
    this.#lastSync = metrics.gauge({
      name: "kubeproxy_sync_proxy_rules_last_timestamp_seconds",
      help: "The last time proxy rules were successfully synced",
    });
    this.#lastQueued = metrics.gauge({
      name: "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",
      help: "The last time a sync of proxy rules was queued",
    });
    this.#withoutLocal = metrics.gauge({
      name: "kubeproxy_sync_proxy_rules_no_local_endpoints_total",
      help: "Number of services with a Local traffic policy and no endpoints",
      labels: ["traffic_policy"],
    });
    const changes = (what: Changed, noun: string) => ({
      pending: metrics.gauge({
        name: `kubeproxy_sync_proxy_rules_${what}_changes_pending`,
        help: `Pending proxy rules ${noun} changes`,
      }),
      total: metrics.counter({
        name: `kubeproxy_sync_proxy_rules_${what}_changes_total`,
        help: `Cumulative proxy rules ${noun} changes`,
      }),
    });
    this.#changes = { service: changes("service", "Service"), endpoint: changes("endpoint", "Endpoint") };
  }

  changed(what: Changed): void {
    this.#changes[what].total.add(1);
    this.#changes[what].pending.set(++this.#pending[what]);
  }

  queued(nowMs: number): void {
    this.#lastQueued.set(nowMs / 1000);
  }

  /** Records that the rules are being made from the current state. */
  started(): void {
    for (const what of ["service", "endpoint"] as const) {
      this.#pending[what] = 0;
      this.#changes[what].pending.set(0);
    }
  }

  synced(sync: { kind: "full" | "partial"; tookMs: number; nowMs: number }): void {
    const seconds = sync.tookMs / 1000;
    this.#syncs.observe(seconds);
    (sync.kind === "full" ? this.#fullSyncs : this.#partialSyncs).observe(seconds);
    this.#lastSync.set(sync.nowMs / 1000);
  }

  failed(): void {
    this.#failures.add(1);
  }

  /** Records the time from a change in the cluster until the rules contain it. */
  programmed(tookMs: number): void {
    this.#networkProgramming.observe(Math.max(0, tookMs) / 1000);
  }

  withoutLocalEndpoints(counts: { internal: number; external: number }): void {
    this.#withoutLocal.set(counts.internal, { traffic_policy: "internal" });
    this.#withoutLocal.set(counts.external, { traffic_policy: "external" });
  }
}

function doubling(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first * 2 ** i);
}

const evenly = (first: number, step: number, count: number) =>
  Array.from({ length: count }, (_, i) => first + i * step);

/** Upstream's buckets, one per second up to a minute. */
const networkProgrammingBuckets = [
  ...evenly(0.25, 0.25, 2),
  ...evenly(1, 1, 59),
  ...evenly(60, 5, 12),
  ...evenly(120, 30, 7),
];

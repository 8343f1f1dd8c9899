import type { Counter, Gauge, Histogram, Metrics } from "@kintsugi/api";
import type { RoutePlan } from "./plan/route-plan.ts";

/** The service's measurements. */
export class IngressMetrics {
  readonly #syncs: Histogram;
  readonly #failures: Counter;
  readonly #lastSync: Gauge;
  readonly #objects: Gauge;

  constructor(metrics: Metrics) {
    this.#syncs = metrics.histogram({
      name: "kintsugi_ingress_sync_duration_seconds",
      help: "Time until new routes are served",
      buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    });
    this.#failures = metrics.counter({
      name: "kintsugi_ingress_sync_failures_total",
      help: "Sets of routes that HAProxy rejected",
    });
    this.#lastSync = metrics.gauge({
      name: "kintsugi_ingress_sync_last_timestamp_seconds",
      help: "The last time that new routes were served",
    });
    this.#objects = metrics.gauge({
      name: "kintsugi_ingress_routes",
      help: "Served hosts, paths, backends, endpoints and certificates",
      labels: ["type"],
    });
  }

  failed(): void {
    this.#failures.add(1);
  }

  served(plan: RoutePlan, { tookMs, nowMs }: { tookMs: number; nowMs: number }): void {
    this.#syncs.observe(tookMs / 1000);
    this.#lastSync.set(nowMs / 1000);
    const counts = {
      hosts: plan.tables.length,
      paths: plan.tables.reduce((sum, { exact, prefixes }) => sum + exact.size + prefixes.size, 0),
      backends: plan.backends.length,
      endpoints: plan.backends.reduce((sum, { servers }) => sum + servers.length, 0),
      certificates: plan.certificates.length,
    };
    for (const [type, count] of Object.entries(counts)) this.#objects.set(count, { type });
  }
}

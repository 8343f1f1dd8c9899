import type { Gauge, Metrics } from "@kintsugi/api";

/** node_collector_zone_size, _zone_health and _unhealthy_nodes_in_zone. */
export class ZoneMetrics {
  readonly #size: Gauge;
  readonly #health: Gauge;
  readonly #unhealthy: Gauge;
  #zones = new Set<string>();

  constructor({ metrics }: { metrics: Metrics }) {
    const labels = ["zone"];
    this.#size = metrics.gauge({
      name: "node_collector_zone_size",
      help: "Gauge measuring number of registered Nodes per zones.",
      labels,
    });
    this.#health = metrics.gauge({
      name: "node_collector_zone_health",
      help: "Gauge measuring percentage of healthy nodes per zone.",
      labels,
    });
    this.#unhealthy = metrics.gauge({
      name: "node_collector_unhealthy_nodes_in_zone",
      help: "Gauge measuring number of not Ready Nodes per zones.",
      labels,
    });
  }

  set(zones: ReadonlyMap<string, { ready: number; notReady: number }>): void {
    for (const zone of this.#zones) {
      if (!zones.has(zone)) for (const gauge of [this.#size, this.#health, this.#unhealthy]) gauge.remove({ zone });
    }
    this.#zones = new Set(zones.keys());
    for (const [zone, { ready, notReady }] of zones) {
      this.#size.set(ready + notReady, { zone });
      this.#health.set((100 * ready) / (ready + notReady), { zone });
      this.#unhealthy.set(notReady, { zone });
    }
  }
}

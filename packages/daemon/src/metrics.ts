import type { Metrics } from "@kintsugi/api";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** Metrics that can be scraped. */
export interface MetricsRegistry extends Metrics {
  /** The Prometheus text exposition. */
  exposition(): Promise<string>;
  readonly contentType: string;
}

/** A registry with the process's own metrics (process_cpu_seconds_total, process_resident_memory_bytes, …) in it. */
export function createMetrics(): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const shared = (definition: { name: string; help: string; labels?: readonly string[] }) => ({
    name: definition.name,
    help: definition.help,
    labelNames: [...(definition.labels ?? [])],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    exposition: () => registry.metrics(),
    counter(definition) {
      const counter = new Counter(shared(definition));
      return { add: (value, labels = {}) => counter.inc(labels, value) };
    },
    gauge(definition) {
      const gauge = new Gauge(shared(definition));
      return { set: (value, labels = {}) => gauge.set(labels, value), remove: (labels) => gauge.remove(labels) };
    },
    histogram(definition) {
      const histogram = new Histogram({ ...shared(definition), buckets: [...definition.buckets] });
      return { observe: (value, labels = {}) => histogram.observe(labels, value) };
    },
  };
}

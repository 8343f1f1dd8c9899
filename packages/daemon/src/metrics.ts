import type { Metrics } from "@kintsugi/api";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { SeriesCounter } from "./series-counter.ts";
import { SeriesHistogram } from "./series-histogram.ts";

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
  return {
    contentType: registry.contentType,
    exposition: () => registry.metrics(),
    counter(definition) {
      const counter = new SeriesCounter(definition, registry);
      return { add: (value, labels) => counter.add(value, labels), remove: (labels) => counter.forget(labels) };
    },
    gauge(definition) {
      const { name, help, labels: labelNames = [] } = definition;
      const gauge = new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
      return { set: (value, labels = {}) => gauge.set(labels, value), remove: (labels) => gauge.remove(labels) };
    },
    histogram(definition) {
      const histogram = new SeriesHistogram(definition, registry);
      return {
        observe: (value, labels) => histogram.add(value, labels),
        remove: (labels) => histogram.forget(labels),
      };
    },
  };
}

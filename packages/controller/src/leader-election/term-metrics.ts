import type { Counter, Gauge, Histogram, MetricDefinition, Metrics } from "@kintsugi/api";

/**
 * The metrics of one term of a leader. Gauges report a present state, which ends with the term.
 * Counters continue from term to term.
 */
export class TermMetrics implements Metrics {
  readonly #metrics: Metrics;
  readonly #gauges = new Set<Gauge>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  counter(definition: MetricDefinition): Counter {
    return this.#metrics.counter(definition);
  }

  histogram(definition: MetricDefinition & { buckets: readonly number[] }): Histogram {
    return this.#metrics.histogram(definition);
  }

  gauge(definition: MetricDefinition): Gauge {
    const gauge = this.#metrics.gauge(definition);
    this.#gauges.add(gauge);
    return gauge;
  }

  /** Resets the gauges that were declared in the term. */
  end(): void {
    for (const gauge of this.#gauges) gauge.reset();
  }
}

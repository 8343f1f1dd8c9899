/**
 * A service declares its metrics here. Names are upstream's wherever upstream has the metric. A
 * second declaration of a name returns the metric of the first.
 */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition): Gauge;
  histogram(definition: MetricDefinition & { buckets: readonly number[] }): Histogram;
}

export interface MetricDefinition {
  name: string;
  help: string;
  labels?: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(value: number, labels?: Labels): void;
  /**
   * Ends the series of these labels, whose subject no longer exists; the series is never
   * incremented again.
   */
  remove(labels: Labels): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
  remove(labels: Labels): void;
  /** Removes the values of all labels. */
  reset(): void;
}

export interface Histogram {
  /** Durations are in seconds, as Prometheus expects. */
  observe(value: number, labels?: Labels): void;
  remove(labels: Labels): void;
}

/** Measures nothing; for tests. */
export const silentMetrics: Metrics = {
  counter: () => ({ add: () => {}, remove: () => {} }),
  gauge: () => ({ set: () => {}, remove: () => {}, reset: () => {} }),
  histogram: () => ({ observe: () => {}, remove: () => {} }),
};

/**
 * Where a service's measurements go. Names are upstream's wherever upstream has the metric. Who
 * declares a name again is given what it stood for before.
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
  /** What these labels name is gone: nothing more will be counted of it. */
  remove(labels: Labels): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
  remove(labels: Labels): void;
  /** Removes what was set for any labels. */
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

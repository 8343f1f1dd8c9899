/** One pod's value of a metric, in thousandths. */
export interface PodMetric {
  millis: number;
  /** The wall time of the measurement, and the window of its average. */
  atMs: number;
  windowMs: number;
}

/** The values of one metric: of each pod by its name, or independent of pods. */
export type MetricValues = { of: "pods"; pods: ReadonlyMap<string, PodMetric> } | { of: "others"; millis: number };

/** A value, or the text of the read error. */
export type MetricReading<T> = { known: true; value: T } | { known: false; because: string };

export function known<T>(value: T): MetricReading<T> {
  return { known: true, value };
}

export function notKnown(because: string): { known: false; because: string } {
  return { known: false, because };
}

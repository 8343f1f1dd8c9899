import type { Labels, MetricDefinition } from "@kintsugi/api";
import { Histogram, type Registry } from "prom-client";
import type { MetricSample, SeriesMetric } from "./exposition.ts";
import { MetricSeries } from "./metric-series.ts";
import type { SeriesRoom } from "./series-room.ts";

interface Observations {
  /**
   * The counts by bucket, each without the smaller buckets. The last count has the values above all
   * bounds.
   */
  readonly counts: number[];
  sum: number;
}

/** A histogram of prom-client that observes into `MetricSeries`. */
export class SeriesHistogram extends Histogram implements SeriesMetric {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series: MetricSeries<Observations>;

  constructor(
    definition: MetricDefinition & { buckets: readonly number[] },
    { registry, room }: { registry: Registry; room: SeriesRoom },
  ) {
    const { name, help, buckets, labels = [] } = definition;
    super({ name, help, buckets: [...buckets], registers: [registry] });
    this.#name = name;
    this.#help = help;
    this.#bounds = buckets;
    const create = () => ({ counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 });
    // A series has, in addition to the bounds, the bucket above them, the sum and the count.
    this.#series = new MetricSeries(labels, { create, room: room.ofMetric(name, buckets.length + 3) });
  }

  add(value: number, labels?: Labels): void {
    if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be observed`);
    const observations = this.#series.findOrOther(labels);
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? Infinity)) bucket++;
    observations.counts[bucket] = (observations.counts[bucket] ?? 0) + 1;
    observations.sum += value;
  }

  forget(labels: Labels): void {
    this.#series.remove(labels);
  }

  exposed() {
    return { help: this.#help, type: "histogram", series: this.#samples() };
  }

  *#samples(): Iterable<readonly MetricSample[]> {
    for (const entry of this.#series.entries()) yield this.#samplesOf(entry);
  }

  /** The labels that the lines of a series share are rendered once. */
  #samplesOf({ labels: sharedLabels, series }: { labels: Labels; series: Observations }): MetricSample[] {
    const samples: MetricSample[] = [];
    let count = 0;
    for (const [i, inBucket] of series.counts.entries()) {
      count += inBucket;
      const le = i < this.#bounds.length ? String(this.#bounds[i]) : "+Inf";
      samples.push({ labels: { le }, sharedLabels, value: count, metricName: `${this.#name}_bucket` });
    }
    samples.push({ labels: {}, sharedLabels, value: series.sum, metricName: `${this.#name}_sum` });
    samples.push({ labels: {}, sharedLabels, value: count, metricName: `${this.#name}_count` });
    return samples;
  }
}

import type { Labels, MetricDefinition } from "@kintsugi/api";
import { Gauge, type Registry } from "prom-client";
import type { SeriesMetric } from "./exposition.ts";
import { MetricSeries, singleSamples } from "./metric-series.ts";
import type { SeriesRoom } from "./series-room.ts";

/**
 * A gauge of prom-client that keeps its values in `MetricSeries`. States cannot be summed, so a
 * state without room for its own series is not exported.
 */
export class SeriesGauge extends Gauge implements SeriesMetric {
  readonly #help: string;
  readonly #series: MetricSeries<{ value: number }>;

  constructor(definition: MetricDefinition, { registry, room }: { registry: Registry; room: SeriesRoom }) {
    const { name, help, labels = [] } = definition;
    super({ name, help, registers: [registry] });
    this.#help = help;
    this.#series = new MetricSeries(labels, { create: () => ({ value: 0 }), room: room.ofMetric(name, 1) });
  }

  put(value: number, labels?: Labels): void {
    if (typeof value !== "number") throw new TypeError(`a gauge cannot be set to ${String(value)}`);
    const series = this.#series.find(labels);
    if (series !== undefined) series.value = value;
  }

  forget(labels: Labels): void {
    this.#series.remove(labels);
  }

  forgetAll(): void {
    this.#series.clear();
  }

  exposed() {
    return { help: this.#help, type: "gauge", series: singleSamples(this.#series) };
  }
}

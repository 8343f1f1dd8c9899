import type { Labels, MetricDefinition } from "@kintsugi/api";
import { Counter, type Registry } from "prom-client";
import type { SeriesMetric } from "./exposition.ts";
import { MetricSeries, singleSamples } from "./metric-series.ts";
import type { SeriesRoom } from "./series-room.ts";

/** A counter of prom-client that counts on `MetricSeries`. */
export class SeriesCounter extends Counter implements SeriesMetric {
  readonly #help: string;
  readonly #series: MetricSeries<{ value: number }>;

  constructor(definition: MetricDefinition, { registry, room }: { registry: Registry; room: SeriesRoom }) {
    const { name, help, labels = [] } = definition;
    super({ name, help, registers: [registry] });
    this.#help = help;
    this.#series = new MetricSeries(labels, { create: () => ({ value: 0 }), room: room.ofMetric(name, 1) });
  }

  add(value: number, labels?: Labels): void {
    if (!(value >= 0)) throw new RangeError(`a counter cannot be increased by ${value}`);
    this.#series.findOrOther(labels).value += value;
  }

  forget(labels: Labels): void {
    this.#series.remove(labels);
  }

  exposed() {
    return { help: this.#help, type: "counter", series: singleSamples(this.#series) };
  }
}

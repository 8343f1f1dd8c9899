import type { Labels } from "@kintsugi/api";

/**
 * The series of one metric, by labels. A frequent caller passes the same labels object each time:
 * it is found by identity, without its labels being read. prom-client's own metrics read and check
 * every label with every number, which for a request with eight labels costs more than answering it
 * from memory.
 */
export class MetricSeries<Series> {
  readonly #labelNames: readonly string[];
  readonly #create: () => Series;
  readonly #byText = new Map<string, { labels: Labels; series: Series }>();
  #byIdentity = new WeakMap<Labels, Series>();

  constructor(labelNames: readonly string[], create: () => Series) {
    this.#labelNames = labelNames;
    this.#create = create;
    if (labelNames.length === 0) this.find(noLabels);
  }

  /** @throws Error for a label that the metric was not declared with. */
  find(labels: Labels = noLabels): Series {
    let series = this.#byIdentity.get(labels);
    if (series === undefined) {
      series = this.#findByText(labels);
      this.#byIdentity.set(labels, series);
    }
    return series;
  }

  /** Forgets the series of these labels; counting under them again begins at nothing. */
  remove(labels: Labels): void {
    this.#byText.delete(this.#textOf(labels));
    // The holders of labels of the same text are not known, and to find each of them anew once is
    // cheap.
    this.#byIdentity = new WeakMap();
  }

  entries(): Iterable<{ labels: Labels; series: Series }> {
    return this.#byText.values();
  }

  #findByText(labels: Labels): Series {
    const strange = Object.keys(labels).find((name) => !this.#labelNames.includes(name));
    if (strange !== undefined) throw new Error(`the metric has no label ${strange}`);
    const text = this.#textOf(labels);
    let known = this.#byText.get(text);
    if (known === undefined) {
      known = { labels: { ...labels }, series: this.#create() };
      this.#byText.set(text, known);
    }
    return known.series;
  }

  #textOf(labels: Labels): string {
    return JSON.stringify(this.#labelNames.map((name) => labels[name]));
  }
}

const noLabels: Labels = Object.freeze({});

import type { Labels } from "@kintsugi/api";
import type { MetricSample } from "./exposition.ts";
import type { MetricRoom } from "./series-room.ts";

/** Names of Kubernetes objects have at most 253 characters; a longer value is cut. */
const labelLengthMax = 256;

/**
 * The value of every label of the series that measurements share if there is no space for a series
 * of their own.
 */
const otherValue = "other";

/**
 * The series of one metric, by labels. A frequent caller passes the same labels object each time,
 * which is found by identity, without reading its labels. prom-client's own metrics read and check
 * every label with every number, which for a request with eight labels costs more than answering it
 * from memory.
 */
export class MetricSeries<Series> {
  readonly #labelNames: readonly string[];
  readonly #create: () => Series;
  readonly #room: MetricRoom;
  readonly #byText = new Map<string, { labels: Labels; series: Series }>();
  #byIdentity = new WeakMap<Labels, Series>();
  #other: { labels: Labels; series: Series } | undefined;

  constructor(labelNames: readonly string[], { create, room }: { create: () => Series; room: MetricRoom }) {
    this.#labelNames = labelNames;
    this.#create = create;
    this.#room = room;
    if (labelNames.length === 0) this.find(noLabels);
  }

  /**
   * Returns undefined if another series would exceed the limit.
   * @throws Error for a label with which the metric was not declared.
   */
  find(labels: Labels = noLabels): Series | undefined {
    let series = this.#byIdentity.get(labels);
    if (series === undefined) {
      series = this.#findByText(labels);
      if (series !== undefined) this.#byIdentity.set(labels, series);
    }
    return series;
  }

  /**
   * Finds the series of these labels, or the shared series if another series would exceed the
   * limit.
   */
  findOrOther(labels?: Labels): Series {
    return this.find(labels) ?? this.#shared();
  }

  /** Removes the series of these labels; a later count under them begins at zero. */
  remove(labels: Labels): void {
    if (!this.#byText.delete(this.#textOf(labels))) return;
    if (this.#labelNames.length > 0) this.#room.leave(1);
    // The holders of labels with the same text are unknown, and finding each of them again is
    // cheap.
    this.#byIdentity = new WeakMap();
  }

  /** Removes all series. */
  clear(): void {
    if (this.#labelNames.length > 0) this.#room.leave(this.#byText.size);
    this.#byText.clear();
    this.#byIdentity = new WeakMap();
    this.#other = undefined;
    if (this.#labelNames.length === 0) this.find(noLabels);
  }

  *entries(): Iterable<{ labels: Labels; series: Series }> {
    yield* this.#byText.values();
    if (this.#other !== undefined) yield this.#other;
  }

  #findByText(labels: Labels): Series | undefined {
    const strange = Object.keys(labels).find((name) => !this.#labelNames.includes(name));
    if (strange !== undefined) throw new Error(`the metric has no label ${strange}`);
    const text = this.#textOf(labels);
    let known = this.#byText.get(text);
    if (known === undefined) {
      // The only series of a metric without labels always has room.
      if (this.#labelNames.length > 0 && !this.#room.take()) return undefined;
      known = { labels: ownCopy(labels), series: this.#create() };
      this.#byText.set(text, known);
    }
    return known.series;
  }

  #shared(): Series {
    this.#other ??= {
      labels: Object.fromEntries(this.#labelNames.map((name) => [name, otherValue])),
      series: this.#create(),
    };
    return this.#other.series;
  }

  #textOf(labels: Labels): string {
    return JSON.stringify(this.#labelNames.map((name) => cut(labels[name])));
  }
}

/** The samples of a metric whose series have one line each. */
export function* singleSamples(all: MetricSeries<{ value: number }>): Iterable<readonly MetricSample[]> {
  for (const { labels, series } of all.entries()) yield [{ labels, value: series.value }];
}

const noLabels: Labels = Object.freeze({});

function cut(value: string | undefined): string | undefined {
  return typeof value === "string" && value.length > labelLengthMax ? value.slice(0, labelLengthMax) : value;
}

/** A substring of a long text, such as a URL, would keep the whole text in memory. */
function ownCopy(labels: Labels): Labels {
  const copied = Object.entries(labels).map(([name, value]) => {
    const short = cut(value);
    return [name, typeof short === "string" ? Buffer.from(short).toString() : short];
  });
  return Object.fromEntries(copied) as Labels;
}

/** The most lines that the labels of metrics may make of an exposition. */
export interface SeriesLimits {
  /**
   * The lines of one metric. A counter's series is one, a histogram's one for each bucket and three
   * more. Default 50,000: 1,900 series of the requests' durations, which are those of 400 kinds
   * with the usual verbs.
   */
  readonly metricLinesMax: number;
  /**
   * The lines of all metrics of a program that have labels. Labels have names that users write, so
   * a program without this limit would grow as long as a user invents names. Default 100,000: five
   * times those of a server of 400 kinds; they are rendered in half a second of a processor.
   */
  readonly programLinesMax: number;
}

export const seriesLimits: SeriesLimits = { metricLinesMax: 50_000, programLinesMax: 100_000 };

/** The room that the metrics of a program share for their series. */
export class SeriesRoom {
  readonly #reject: (metric: string) => void;
  readonly #limits: SeriesLimits;
  #lines = 0;

  /** @param reject is called for each measurement without room for a series of its own. */
  constructor({ reject }: { reject: (metric: string) => void }, limits: SeriesLimits) {
    this.#reject = reject;
    this.#limits = limits;
  }

  /** The share of one metric, whose series have so many lines each. */
  ofMetric(metric: string, linesOfSeries: number): MetricRoom {
    const { metricLinesMax, programLinesMax } = this.#limits;
    let series = 0;
    return {
      take: () => {
        const isFull = (series + 1) * linesOfSeries > metricLinesMax || this.#lines + linesOfSeries > programLinesMax;
        if (isFull) this.#reject(metric);
        else {
          series++;
          this.#lines += linesOfSeries;
        }
        return !isFull;
      },
      leave: (count) => {
        series -= count;
        this.#lines -= count * linesOfSeries;
      },
    };
  }
}

export interface MetricRoom {
  /** Returns false, and counts the measurement, where there is no room for one more series. */
  take(): boolean;
  /** Gives back the room of so many series. */
  leave(count: number): void;
}

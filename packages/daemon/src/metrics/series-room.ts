/** The maximum number of exposition lines from labeled metrics. */
export interface SeriesLimits {
  /**
   * The lines of one metric. A counter's series has one line, and a histogram's series has one for
   * each bucket and three more. Default 50,000: 1,900 series of the requests' durations, enough for
   * 400 kinds with the usual verbs.
   */
  readonly metricLinesMax: number;
  /**
   * The lines of all labeled metrics of a program. Labels have names that users write, so a program
   * without this limit would grow while a user invents names. Default 100,000: five times the lines
   * of a server of 400 kinds, which are rendered in half a second of processor time.
   */
  readonly programLinesMax: number;
}

export const seriesLimits: SeriesLimits = { metricLinesMax: 50_000, programLinesMax: 100_000 };

/** The room that the metrics of a program share for their series. */
export class SeriesRoom {
  readonly #reject: (metric: string) => void;
  readonly #limits: SeriesLimits;
  #lines = 0;

  /** @param reject is called for each measurement without room for its own series. */
  constructor({ reject }: { reject: (metric: string) => void }, limits: SeriesLimits) {
    this.#reject = reject;
    this.#limits = limits;
  }

  /** The share of one metric whose series have this many lines each. */
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
  /** Returns false, and counts the measurement, if another series would exceed the limit. */
  take(): boolean;
  /** Releases the room of this many series. */
  leave(count: number): void;
}

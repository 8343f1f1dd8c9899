import type { Counter, Gauge, Histogram, Labels, MetricDefinition, Metrics } from "@kintsugi/api";
import type { Clock, Timer } from "@kintsugi/clock";

// An HTTP worker's metrics are metrics of the server: the worker sends its measurements, and the
// owner adds them to its own.

/** A metric when it is declared, or a measurement of it. */
export type RelayedMeasurement =
  | { readonly kind: keyof Metrics; readonly definition: MetricDefinition & { readonly buckets?: readonly number[] } }
  | { readonly name: string; readonly value: number; readonly labels?: Labels | undefined };

/**
 * Measurements are sent together after this long, so that a busy worker sends a few messages a
 * second and an idle worker sends none.
 */
const flushAfterMs = 250;
/** More measurements than this are sent immediately, so that they stay few in memory. */
const pendingMax = 1_000;

/** The metrics of an HTTP worker. Their series never end, because the worker has few labels. */
export function relayMetrics({
  clock,
  send,
}: {
  clock: Pick<Clock, "after">;
  send: (measurements: readonly RelayedMeasurement[]) => void;
}): Metrics {
  let pending: RelayedMeasurement[] = [];
  let timer: Timer | undefined;
  const flush = () => {
    timer?.cancel();
    timer = undefined;
    const measurements = pending;
    pending = [];
    send(measurements);
  };
  const add = (measurement: RelayedMeasurement) => {
    pending.push(measurement);
    if (pending.length >= pendingMax) flush();
    else timer ??= clock.after(flushAfterMs, flush);
  };
  const declare = (kind: keyof Metrics, definition: MetricDefinition) => {
    add({ kind, definition });
    return (value: number, labels?: Labels) => add({ name: definition.name, value, labels });
  };
  return {
    counter: (definition) => ({ add: declare("counter", definition), remove: cannotRemove }),
    gauge: (definition) => ({ set: declare("gauge", definition), remove: cannotRemove, reset: cannotRemove }),
    histogram: (definition) => ({ observe: declare("histogram", definition), remove: cannotRemove }),
  };
}

function cannotRemove(): never {
  throw new Error("a worker's metrics have no series that ends");
}

type Declared = { counter: Counter } | { gauge: Gauge; states: Map<string, States> } | { histogram: Histogram };

/** The states of one series, by worker. */
interface States {
  readonly labels: Labels | undefined;
  readonly byWorker: Map<number, number>;
}

/**
 * Adds the workers' measurements to the server's metrics. A gauge is the sum of all workers'
 * states.
 */
export class WorkerMeasurements {
  readonly #metrics: Metrics;
  readonly #declared = new Map<string, Declared>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  add(worker: number, measurements: readonly RelayedMeasurement[]): void {
    for (const measurement of measurements) {
      if ("kind" in measurement) this.#declare(measurement);
      else this.#measure(worker, measurement);
    }
  }

  /** The states of a worker that has ended no longer count. */
  forget(worker: number): void {
    for (const declared of this.#declared.values()) {
      if (!("gauge" in declared)) continue;
      for (const { labels, byWorker } of declared.states.values()) {
        if (byWorker.delete(worker)) declared.gauge.set(sumOf(byWorker), labels);
      }
    }
  }

  #declare({ kind, definition }: Extract<RelayedMeasurement, { kind: unknown }>): void {
    const { name, buckets = [] } = definition;
    if (this.#declared.has(name)) return;
    const metrics = this.#metrics;
    if (kind === "counter") this.#declared.set(name, { counter: metrics.counter(definition) });
    else if (kind === "gauge") this.#declared.set(name, { gauge: metrics.gauge(definition), states: new Map() });
    else this.#declared.set(name, { histogram: metrics.histogram({ ...definition, buckets }) });
  }

  #measure(worker: number, { name, value, labels }: Extract<RelayedMeasurement, { name: string }>): void {
    const declared = this.#declared.get(name);
    if (declared === undefined) return;
    if ("counter" in declared) return declared.counter.add(value, labels);
    if ("histogram" in declared) return declared.histogram.observe(value, labels);
    const key = JSON.stringify(labels ?? {});
    const states = declared.states.get(key) ?? { labels, byWorker: new Map<number, number>() };
    declared.states.set(key, states);
    states.byWorker.set(worker, value);
    declared.gauge.set(sumOf(states.byWorker), labels);
  }
}

function sumOf(byWorker: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const value of byWorker.values()) sum += value;
  return sum;
}

import { performance } from "node:perf_hooks";
import type { Metrics } from "@kintsugi/api";
import { collectDefaultMetrics, Counter, Registry } from "prom-client";
import { expositionOf } from "./exposition.ts";
import { meterEventLoop } from "./meter-event-loop.ts";
import { SeriesCounter } from "./series-counter.ts";
import { SeriesGauge } from "./series-gauge.ts";
import { SeriesHistogram } from "./series-histogram.ts";
import { type SeriesLimits, seriesLimits, SeriesRoom } from "./series-room.ts";

/** Metrics that can be scraped. */
export interface MetricsRegistry extends Metrics {
  /** The Prometheus text exposition. */
  exposition(): Promise<string>;
  readonly contentType: string;
}

/**
 * prom-client measures the event loop's delay by a timer of 10 ms. Its 100 wake-ups a second caused
 * most of an idle service's processor use. So the timer gets the longest possible period, about 25
 * days, and its figures are not exported.
 */
const loopDelayPeriodMs = 2 ** 31 - 1;
const loopDelayStatistics = ["min", "max", "mean", "stddev", "p50", "p90", "p99"];

/** A request must not block the event loop for more than a quarter of a second. */
const turnsDefinition = {
  name: "kintsugi_event_loop_blocked_seconds",
  help: "Duration of each turn of the event loop in seconds, without its waiting. The process does no other work during a turn.",
  buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
};

/**
 * A registry with the process's own metrics (process_cpu_seconds_total,
 * process_resident_memory_bytes, …) in it.
 */
export function createMetrics(limits: SeriesLimits = seriesLimits): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopDelayPeriodMs });
  for (const each of loopDelayStatistics) registry.removeSingleMetric(`nodejs_eventloop_lag_${each}_seconds`);
  countActiveTime(registry);
  const parts = { registry, room: createRoom(registry, limits) };
  meterTurns(new SeriesHistogram(turnsDefinition, parts));
  const counters = new Declared<ReturnType<Metrics["counter"]>>();
  const gauges = new Declared<ReturnType<Metrics["gauge"]>>();
  const histograms = new Declared<ReturnType<Metrics["histogram"]>>();
  return {
    contentType: registry.contentType,
    exposition: () => expositionOf(registry),
    counter: (definition) =>
      counters.once(definition.name, () => {
        const counter = new SeriesCounter(definition, parts);
        return { add: (value, labels) => counter.add(value, labels), remove: (labels) => counter.forget(labels) };
      }),
    gauge: (definition) =>
      gauges.once(definition.name, () => {
        const gauge = new SeriesGauge(definition, parts);
        return {
          set: (value, labels) => gauge.put(value, labels),
          remove: (labels) => gauge.forget(labels),
          reset: () => gauge.forgetAll(),
        };
      }),
    histogram: (definition) =>
      histograms.once(definition.name, () => {
        const histogram = new SeriesHistogram(definition, parts);
        return {
          observe: (value, labels) => histogram.add(value, labels),
          remove: (labels) => histogram.forget(labels),
        };
      }),
  };
}

/**
 * The limits of all metrics except the metric that counts the measurements without a series of
 * their own.
 */
function createRoom(registry: Registry, limits: SeriesLimits): SeriesRoom {
  const definition = {
    name: "kintsugi_metrics_series_rejected_total",
    help: "Number of measurements without a series of their own, because their metric or the program has too many series.",
    labels: ["metric"],
  };
  // The names of metrics are few and come from the program.
  const rejected = new SeriesCounter(definition, { registry, room: new SeriesRoom({ reject: () => {} }, limits) });
  return new SeriesRoom({ reject: (metric) => rejected.add(1, { metric }) }, limits);
}

/**
 * The registry accepts each name once; a second declaration returns the first declaration's metric.
 */
class Declared<T> {
  readonly #byName = new Map<string, T>();

  once(name: string, declare: () => T): T {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const declared = declare();
    this.#byName.set(name, declared);
    return declared;
  }
}

/** Ends with the registry, because the meter does not keep the registry in memory. */
function meterTurns(histogram: SeriesHistogram): void {
  const reference = new WeakRef(histogram);
  meterEventLoop((seconds) => {
    const turns = reference.deref();
    turns?.add(seconds);
    return turns !== undefined;
  });
}

/** The event loop computes this sum itself, so the metric costs nothing until it is read. */
function countActiveTime(registry: Registry): void {
  const active = new Counter({
    name: "nodejs_eventloop_active_seconds_total",
    help: "Time in seconds that the event loop has not spent waiting. The rate of this counter is the share of time in which the service was busy.",
    registers: [registry],
    collect: () => {
      active.reset();
      active.inc(performance.eventLoopUtilization().active / 1000);
    },
  });
}

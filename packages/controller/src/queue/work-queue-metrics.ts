import type { Counter, Gauge, Histogram, Metrics } from "@kintsugi/api";

/**
 * Upstream's workqueue_* metrics. Every queue of a process shares them and is identified by the
 * label `name`.
 */
export interface WorkQueueMetrics {
  depth: Gauge;
  adds: Counter;
  retries: Counter;
  queueDuration: Histogram;
  workDuration: Histogram;
  unfinishedWork: Gauge;
  longestRunning: Gauge;
  refused: Counter;
}

/** Buckets from 10 ns to 10 s by factors of ten, as client-go's. */
const durationBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

export function workQueueMetrics(metrics: Metrics): WorkQueueMetrics {
  const labels = ["name"];
  return {
    depth: metrics.gauge({ name: "workqueue_depth", help: "Current depth of workqueue", labels }),
    adds: metrics.counter({ name: "workqueue_adds_total", help: "Total number of adds handled by workqueue", labels }),
    retries: metrics.counter({
      name: "workqueue_retries_total",
      help: "Total number of retries handled by workqueue",
      labels,
    }),
    queueDuration: metrics.histogram({
      name: "workqueue_queue_duration_seconds",
      help: "Time that an item waits in the work queue, in seconds.",
      labels,
      buckets: durationBuckets,
    }),
    workDuration: metrics.histogram({
      name: "workqueue_work_duration_seconds",
      help: "Duration of processing an item from the work queue, in seconds.",
      labels,
      buckets: durationBuckets,
    }),
    unfinishedWork: metrics.gauge({
      name: "workqueue_unfinished_work_seconds",
      help: "Age of all items in progress together, in seconds. Such items are not in the work duration yet.",
      labels,
    }),
    longestRunning: metrics.gauge({
      name: "workqueue_longest_running_processor_seconds",
      help: "Age of the oldest item in progress, in seconds.",
      labels,
    }),
    refused: metrics.counter({
      name: "kintsugi_workqueue_refused_total",
      help: "Keys that a full workqueue rejected; the controller then iterates over all its objects.",
      labels,
    }),
  };
}

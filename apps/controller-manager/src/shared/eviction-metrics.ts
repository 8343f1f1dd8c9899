import type { Metrics } from "@kintsugi/api";

/** Counts the evictions of a controller, and how late each was, under upstream's names. */
export function evictionMetrics(
  { metrics }: { metrics: Metrics },
  { prefix, controller }: { prefix: string; controller: string },
): (lateMs: number) => void {
  const deletions = metrics.counter({
    name: `${prefix}_pod_deletions_total`,
    help: `Total number of Pods deleted by ${controller} since its start.`,
  });
  const delay = metrics.histogram({
    name: `${prefix}_pod_deletion_duration_seconds`,
    help: `Latency, in seconds, between the time when a taint effect has been activated for the Pod and its deletion via ${controller}.`,
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
  });
  return (lateMs) => {
    deletions.add(1);
    delay.observe(lateMs / 1000);
  };
}

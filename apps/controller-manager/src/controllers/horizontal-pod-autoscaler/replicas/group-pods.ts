import { findCondition, parseTimestamp, type Pod } from "@kintsugi/api";
import type { PodMetric } from "../metrics/metric-values.ts";

/**
 * The view that calculations share: the pods of the target, and the settings that decide how each
 * pod counts.
 */
export interface PodView {
  pods: readonly Pod[];
  nowMs: number;
  options: { hpaCpuInitializationPeriodMs: number; hpaInitialReadinessDelayMs: number };
}

// Pods grouped by how they count (groupPods of pkg/controller/podautoscaler):
//
//   deleted or failed                         ignored, as if they did not exist
//   pending                                   unready
//   without a metric                          missing
//   metric of cpu while it starts or is not   unready
//   all others                                ready
export interface PodGroups {
  ready: number;
  unready: readonly string[];
  missing: readonly string[];
  ignored: readonly string[];
}

/** @param resource "cpu" has rules about readiness; other metrics count in any state of a pod. */
export function groupPods(view: PodView, metrics: ReadonlyMap<string, PodMetric>, resource: string): PodGroups {
  const groups = { ready: 0, unready: [] as string[], missing: [] as string[], ignored: [] as string[] };
  for (const pod of view.pods) {
    const { name = "" } = pod.metadata;
    const metric = metrics.get(name);
    if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === "Failed") groups.ignored.push(name);
    else if (pod.status?.phase === "Pending") groups.unready.push(name);
    else if (metric === undefined) groups.missing.push(name);
    else if (resource === "cpu" && startsOrIsNotReady(pod, metric, view)) groups.unready.push(name);
    else groups.ready++;
  }
  return groups;
}

function startsOrIsNotReady({ status }: Pod, metric: PodMetric, { nowMs, options }: PodView): boolean {
  const condition = findCondition(status?.conditions, "Ready");
  const { startTime } = status ?? {};
  if (condition === undefined || startTime === undefined) return true;
  const isUnready = condition.status === "False";
  const startMs = parseTimestamp(startTime);
  // Go's zero time, long before any start.
  const changedMs =
    condition.lastTransitionTime === undefined ? -Infinity : parseTimestamp(condition.lastTransitionTime);
  if (startMs + options.hpaCpuInitializationPeriodMs > nowMs) {
    // The window of the metric may begin before the pod was ready.
    return isUnready || metric.atMs < changedMs + metric.windowMs;
  }
  // A pod that lost its readiness soon after its start has never been ready.
  return isUnready && startMs + options.hpaInitialReadinessDelayMs > changedMs;
}

import type { Labels, Metrics } from "@kintsugi/api";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { ProbeKind } from "./prober.ts";
import type { ProbeOutcome } from "./prober.ts";

/** Upstream's names of the kinds, in events and labels. */
export const probeTitles = { liveness: "Liveness", readiness: "Readiness", startup: "Startup" } as const;

/**
 * Prometheus' usual buckets: a probe answers in milliseconds, and its default timeout is a second.
 */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const results = { success: "successful", warning: "successful", failure: "failed", errored: "unknown" } as const;

/** One probe of one container of one pod. */
export interface ProbeSeries {
  kind: ProbeKind;
  container: string;
  metadata: Pick<BoundPod["metadata"], "name" | "namespace" | "uid">;
}

/**
 * Records the results and durations of probes under upstream's names (prober_manager.go). The
 * series of a pod are removed with the pod.
 */
export class ProbeMetrics {
  readonly #total;
  readonly #duration;

  constructor(metrics: Metrics) {
    this.#total = metrics.counter({
      name: "prober_probe_total",
      help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
      labels: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
    });
    this.#duration = metrics.histogram({
      name: "prober_probe_duration_seconds",
      help: "Duration in seconds for a probe response.",
      labels: ["probe_type", "container", "pod", "namespace"],
      buckets: durationBuckets,
    });
  }

  record(series: ProbeSeries, outcome: ProbeOutcome, tookMs: number): void {
    this.#total.add(1, resultLabels(series, results[outcome.kind]));
    this.#duration.observe(tookMs / 1000, labelsOf(series));
  }

  forget(series: ProbeSeries): void {
    for (const result of new Set(Object.values(results))) this.#total.remove(resultLabels(series, result));
    this.#duration.remove(labelsOf(series));
  }
}

function labelsOf({ kind, container, metadata }: ProbeSeries): Labels {
  return { probe_type: probeTitles[kind], container, pod: metadata.name, namespace: metadata.namespace };
}

function resultLabels(series: ProbeSeries, result: string): Labels {
  return { ...labelsOf(series), result, pod_uid: series.metadata.uid };
}

import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from "@kintsugi/api";
import { parseQuantity } from "@kintsugi/api";
import type { Tolerances } from "../replicas/pod-replicas.ts";
import { evaluateMetric, type MetricAnswer, type MetricContext } from "./evaluate-metric.ts";
import type { MetricReading, MetricValues } from "./metric-values.ts";

export interface MetricsAnswer {
  /** Absent when a decision does not follow from the metrics together. */
  decided?: { replicas: number; name: string };
  /** One status for each metric of the spec; the status of a failed metric is empty. */
  statuses: MetricStatus[];
  failures: readonly Extract<MetricAnswer, { valid: false }>[];
  /** The text of the event about all metrics, if one failed. */
  summary?: string;
}

/**
 * Returns the largest number of replicas that any metric recommends. If a metric failed, the other
 * metrics may scale up but not down, because the failed metric might recommend more
 * (computeReplicasForMetrics).
 */
export function evaluateMetrics(
  specs: readonly MetricSpec[],
  readings: readonly MetricReading<MetricValues>[],
  context: MetricContext,
): MetricsAnswer {
  const answers = specs.map((spec, index) =>
    evaluateMetric(spec, readings[index] as MetricReading<MetricValues>, context),
  );
  const failures = answers.filter((answer) => !answer.valid);
  const valid = answers.filter((answer) => answer.valid);
  const statuses = answers.map((answer) => (answer.valid ? answer.status : noStatus));
  const [first] = failures;
  const largest = valid.reduce<(typeof valid)[number] | undefined>(
    (most, answer) => (most === undefined || most.replicas === 0 || answer.replicas > most.replicas ? answer : most),
    undefined,
  );
  const summary =
    first && `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.summary}`;
  const isDecided = largest !== undefined && (failures.length === 0 || largest.replicas >= context.specReplicas);
  return {
    statuses,
    failures,
    ...(summary === undefined ? {} : { summary }),
    ...(isDecided ? { decided: { replicas: largest.replicas, name: largest.name } } : {}),
  };
}

/**
 * Upstream leaves the status of a failed metric empty, so that the other statuses keep their
 * positions.
 */
const noStatus = { type: "" } as unknown as MetricStatus;

const nanosPerUnit = 1e9;

/**
 * The tolerances of an autoscaler: its behavior's, or the controller's default (tolerancesForHpa).
 */
export function tolerancesOf({ spec }: HorizontalPodAutoscaler, fallback: number): Tolerances {
  const read = (text: string | undefined) =>
    text === undefined ? fallback : Number(parseQuantity(text).nanos) / nanosPerUnit;
  return { up: read(spec.behavior?.scaleUp?.tolerance), down: read(spec.behavior?.scaleDown?.tolerance) };
}

import { known, type PodMetric, type MetricReading, notKnown } from "../metrics/metric-values.ts";
import { groupPods, type PodView } from "./group-pods.ts";
import { requestsOf } from "./pod-requests.ts";

// The number of replicas by a metric of the pods
// (pkg/controller/podautoscaler/replica_calculator.go).
//
//   ratio     = usage of the pods whose metric counts ÷ wanted usage of these pods
//   replicas  = ⌈ratio × their number⌉, unless the ratio is within the tolerance of 1
//
// Pods that are missing or not ready then count against the direction of the change, so that
// unknown values never make it larger: as idle while scaling up, as busy while scaling down.
//
//   3 ready pods at 200 % of the target, 2 that start: 200 % × 3 ÷ 5 pods = 120 %: 6 pods, not 10

/** Fractions by which a ratio may differ from 1 without a change. */
export interface Tolerances {
  up: number;
  down: number;
}

export function isTolerated(ratio: number, { up, down }: Tolerances): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

/** Numbers of replicas are int32 on the wire. */
const replicasMax = 2 ** 31 - 1;

export function wholeReplicas(count: number): number {
  return Math.min(Math.ceil(count), replicasMax);
}

export interface PodMetricQuestion {
  view: PodView;
  metrics: ReadonlyMap<string, PodMetric>;
  /** The name of the resource, or "" for metrics that are not resources. */
  resource: string;
  tolerances: Tolerances;
  currentReplicas: number;
}

export interface UtilizationAnswer {
  replicas: number;
  percent: number;
  averageMillis: number;
}

/** The number of replicas at which the pods use `targetPercent` of their requests. */
export function utilizationReplicas(
  question: PodMetricQuestion,
  target: { percent: number; container: string },
): MetricReading<UtilizationAnswer> {
  const counted = countPods(question);
  if (!counted.known) return counted;
  const requests = requestsOf(question.view.pods, target.container, question.resource);
  if (!requests.known) return requests;
  const measure = (millis: ReadonlyMap<string, number>) => utilizationOf(millis, requests.value, target.percent);
  const now = measure(counted.value.millis);
  if (!now.known) return now;
  // A missing pod counts as using its whole request, or its target if that is even higher.
  const fallback = Math.max(100, target.percent);
  const replicas = replicasFor(question, counted.value, {
    ratio: now.value.ratio,
    busyMillis: (pod) => Math.trunc(((requests.value.get(pod) ?? 0) * fallback) / 100),
    ratioOf: (millis) => {
      const again = measure(millis);
      return again.known ? again.value.ratio : now.value.ratio;
    },
  });
  return known({ replicas, percent: now.value.percent, averageMillis: now.value.averageMillis });
}

export interface UsageAnswer {
  replicas: number;
  averageMillis: number;
}

/** The number of replicas at which the pods use `targetMillis` on average. */
export function usageReplicas(question: PodMetricQuestion, targetMillis: number): MetricReading<UsageAnswer> {
  const counted = countPods(question);
  if (!counted.known) return counted;
  const averageOf = (millis: ReadonlyMap<string, number>) => Math.trunc(sumOf(millis.values()) / millis.size);
  const averageMillis = averageOf(counted.value.millis);
  const replicas = replicasFor(question, counted.value, {
    ratio: averageMillis / targetMillis,
    busyMillis: () => targetMillis,
    ratioOf: (millis) => averageOf(millis) / targetMillis,
  });
  return known({ replicas, averageMillis });
}

interface Counted {
  /** The pods whose metric counts, in thousandths. */
  millis: ReadonlyMap<string, number>;
  ready: number;
  unready: readonly string[];
  missing: readonly string[];
}

function countPods({ view, metrics, resource }: PodMetricQuestion): MetricReading<Counted> {
  if (view.pods.length === 0) return notKnown("no pods returned by selector while calculating replica count");
  const { ready, unready, missing, ignored } = groupPods(view, metrics, resource);
  const left = new Set([...unready, ...ignored]);
  const millis = new Map([...metrics].filter(([pod]) => !left.has(pod)).map(([pod, metric]) => [pod, metric.millis]));
  if (millis.size === 0) return notKnown("did not receive metrics for targeted pods (pods might be unready)");
  return known({ millis, ready, unready, missing });
}

interface Measure {
  /** The ratio of current and wanted usage, of the pods whose metric counts. */
  ratio: number;
  /** The assumed usage of a missing pod while the target scales down. */
  busyMillis(pod: string): number;
  ratioOf(millis: ReadonlyMap<string, number>): number;
}

function replicasFor(question: PodMetricQuestion, counted: Counted, measure: Measure): number {
  const { tolerances, currentReplicas } = question;
  const { ratio } = measure;
  const countsUnready = counted.unready.length > 0 && ratio > 1;
  if (!countsUnready && counted.missing.length === 0) {
    return isTolerated(ratio, tolerances) ? currentReplicas : wholeReplicas(ratio * counted.ready);
  }
  const millis = new Map(counted.millis);
  for (const pod of counted.missing) {
    if (ratio < 1) millis.set(pod, measure.busyMillis(pod));
    if (ratio > 1) millis.set(pod, 0);
  }
  if (countsUnready) for (const pod of counted.unready) millis.set(pod, 0);
  const careful = measure.ratioOf(millis);
  const turns = (ratio < 1 && careful > 1) || (ratio > 1 && careful < 1);
  if (isTolerated(careful, tolerances) || turns) return currentReplicas;
  const replicas = wholeReplicas(careful * millis.size);
  // The number of counted pods differs from the current number of pods, so the result could reverse
  // the direction, which is not allowed.
  const overshoots = (careful < 1 && replicas > currentReplicas) || (careful > 1 && replicas < currentReplicas);
  return overshoots ? currentReplicas : replicas;
}

interface Utilization {
  ratio: number;
  percent: number;
  averageMillis: number;
}

function utilizationOf(
  millis: ReadonlyMap<string, number>,
  requests: ReadonlyMap<string, number>,
  targetPercent: number,
): MetricReading<Utilization> {
  const asked = [...millis].filter(([pod]) => requests.has(pod));
  const used = sumOf(asked.map(([, value]) => value));
  const requested = sumOf(asked.map(([pod]) => requests.get(pod) ?? 0));
  if (requested === 0) return notKnown("no metrics returned matched known pods");
  const percent = Math.min(Math.trunc((used * 100) / requested), replicasMax);
  return known({ ratio: percent / targetPercent, percent, averageMillis: Math.trunc(used / asked.length) });
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

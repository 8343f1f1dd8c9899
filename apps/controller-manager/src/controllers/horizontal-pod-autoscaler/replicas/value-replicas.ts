import { isPodReady, type Pod } from "@kintsugi/api";
import { known, type MetricReading, notKnown } from "../metrics/metric-values.ts";
import { isTolerated, type Tolerances, wholeReplicas } from "./pod-replicas.ts";

// The number of replicas by one value that does not belong to a pod, but to another object or to
// something outside of the cluster.

interface ValueQuestion {
  millis: number;
  targetMillis: number;
  tolerances: Tolerances;
}

/** The number of replicas for a value whose total should be `targetMillis`. */
export function valueReplicas(
  { millis, targetMillis, tolerances }: ValueQuestion,
  { pods, currentReplicas }: { pods: readonly Pod[]; currentReplicas: number },
): MetricReading<number> {
  const ratio = millis / targetMillis;
  // The ratio cannot be applied because no pods run.
  if (currentReplicas === 0) return known(wholeReplicas(ratio));
  if (isTolerated(ratio, tolerances)) return known(currentReplicas);
  if (pods.length === 0) {
    return notKnown("unable to calculate ready pods: no pods returned by selector while calculating replica count");
  }
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod));
  return known(wholeReplicas(ratio * ready.length));
}

/** The number of replicas for a value that should be `targetMillis` per pod. */
export function perPodReplicas(
  { millis, targetMillis, tolerances }: ValueQuestion,
  statusReplicas: number,
): { replicas: number; averageMillis: number } {
  const ratio = millis / (targetMillis * statusReplicas);
  const replicas = isTolerated(ratio, tolerances) ? statusReplicas : wholeReplicas(millis / targetMillis);
  // The average over 0 pods does not exist; upstream's division by zero results in the largest
  // number.
  const averageMillis = statusReplicas === 0 ? millis : Math.ceil(millis / statusReplicas);
  return { replicas, averageMillis };
}

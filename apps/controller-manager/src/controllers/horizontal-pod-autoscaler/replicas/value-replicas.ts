import { isPodReady, type Pod } from "@kintsugi/api";
import { known, type MetricReading, notKnown } from "../metrics/readings.ts";
import { isTolerated, type Tolerances, wholeReplicas } from "./pod-replicas.ts";

// Replicas by one value that no pod has: that of an object, or of something outside of the cluster.

interface ValueQuestion {
  millis: number;
  targetMillis: number;
  tolerances: Tolerances;
}

/** Replicas for a value that should be `targetMillis` as a whole. */
export function valueReplicas(
  { millis, targetMillis, tolerances }: ValueQuestion,
  { pods, currentReplicas }: { pods: readonly Pod[]; currentReplicas: number },
): MetricReading<number> {
  const ratio = millis / targetMillis;
  // Nothing runs yet that could be multiplied.
  if (currentReplicas === 0) return known(wholeReplicas(ratio));
  if (isTolerated(ratio, tolerances)) return known(currentReplicas);
  if (pods.length === 0) {
    return notKnown("unable to calculate ready pods: no pods returned by selector while calculating replica count");
  }
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod));
  return known(wholeReplicas(ratio * ready.length));
}

/** Replicas for a value of which each pod should have `targetMillis`. */
export function perPodReplicas(
  { millis, targetMillis, tolerances }: ValueQuestion,
  statusReplicas: number,
): { replicas: number; averageMillis: number } {
  const ratio = millis / (targetMillis * statusReplicas);
  const replicas = isTolerated(ratio, tolerances) ? statusReplicas : wholeReplicas(millis / targetMillis);
  // There is no average over no pods; upstream's division by zero ends at the largest number.
  const averageMillis = statusReplicas === 0 ? millis : Math.ceil(millis / statusReplicas);
  return { replicas, averageMillis };
}

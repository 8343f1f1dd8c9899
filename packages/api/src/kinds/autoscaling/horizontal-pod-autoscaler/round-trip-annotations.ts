import type { ObjectMeta } from "../../../meta/object-meta.ts";

/** Annotations in which autoscaling/v1 shows the fields that only autoscaling/v2 has. */
export const roundTripAnnotations = {
  metrics: "autoscaling.alpha.kubernetes.io/metrics",
  behavior: "autoscaling.alpha.kubernetes.io/behavior",
  currentMetrics: "autoscaling.alpha.kubernetes.io/current-metrics",
  conditions: "autoscaling.alpha.kubernetes.io/conditions",
} as const;

/**
 * Removes these annotations, in place. They are never stored, because a stale annotation would be
 * mistaken for the field that it represents (upstream's
 * DropRoundTripHorizontalPodAutoscalerAnnotations).
 */
export function dropRoundTripAnnotations(metadata: ObjectMeta): void {
  const { annotations } = metadata;
  if (annotations === undefined) return;
  const keys = Object.values(roundTripAnnotations).filter((key) => Object.hasOwn(annotations, key));
  for (const key of keys) delete annotations[key];
  if (keys.length > 0 && Object.keys(annotations).length === 0) delete metadata.annotations;
}

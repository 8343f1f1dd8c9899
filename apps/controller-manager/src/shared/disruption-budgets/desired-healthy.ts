import {
  controllerOf,
  matchesLabels,
  type Pod,
  type PodDisruptionBudget,
  scaledCount,
  toSelector,
} from "@kintsugi/api";
import type { FindScale } from "./owner-scales.ts";

/** The budget's requirement on the pods that it selects. */
export type Desired =
  | {
      isKnown: true;
      desiredHealthy: number;
      /** The expected number of pods; evictions are refused if it is zero. */
      expectedPods: number;
      /** Names of pods that did not count because no controller sets their number. */
      unmanaged: readonly string[];
    }
  | { isKnown: false; because: string };

/**
 * Returns the requirement by the rule of upstream's disruption controller: a minimum in pods counts
 * unchanged, and every other value refers to the wanted replicas.
 */
export function desiredHealthy(budget: PodDisruptionBudget, selected: readonly Pod[], findScale: FindScale): Desired {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (!dependsOnScale(budget) && typeof minAvailable === "number")
    return { isKnown: true, desiredHealthy: minAvailable, expectedPods: selected.length, unmanaged: [] };
  const scale = expectedScale(selected, findScale);
  if (!scale.isKnown) return scale;
  const { expectedPods } = scale;
  if (maxUnavailable !== undefined)
    return { ...scale, desiredHealthy: Math.max(0, expectedPods - scaledCount(maxUnavailable, expectedPods, "up")) };
  // A budget without either field requires at least one pod.
  return { ...scale, desiredHealthy: minAvailable === undefined ? 1 : scaledCount(minAvailable, expectedPods, "up") };
}

/**
 * Returns false for a minimum in pods, which counts regardless of the controllers' wanted numbers.
 */
export function dependsOnScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable !== "number";
}

/**
 * Returns a function that reports whether the budget selects a pod of its namespace. The selector
 * is parsed once, for any number of pods.
 */
export function selects({ spec }: PodDisruptionBudget): (pod: Pod) => boolean {
  const selector = toSelector(spec?.selector);
  return ({ metadata }) => matchesLabels(selector, metadata.labels);
}

type Scale = { isKnown: true; expectedPods: number; unmanaged: string[] } | { isKnown: false; because: string };

/** Sums the pods that the controllers of these pods want, counting each controller once. */
function expectedScale(pods: readonly Pod[], findScale: FindScale): Scale {
  const replicasByUid = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const { name = "" } = pod.metadata;
    const controller = controllerOf(pod);
    if (controller === undefined) {
      unmanaged.push(name);
      continue;
    }
    const scale = findScale(controller);
    if (scale === undefined) return { isKnown: false, because: `found no controllers for pod "${name}"` };
    if ("because" in scale) return { isKnown: false, because: scale.because };
    replicasByUid.set(scale.uid, scale.replicas);
  }
  const expectedPods = [...replicasByUid.values()].reduce((sum, replicas) => sum + replicas, 0);
  return { isKnown: true, expectedPods, unmanaged };
}

import {
  controllerOf,
  matchesLabels,
  type Pod,
  type PodDisruptionBudget,
  scaledCount,
  toSelector,
} from "@kintsugi/api";
import type { FindScale } from "./controller-scale.ts";

/** What a budget asks of the pods that it selects. */
export type Desired =
  | {
      isKnown: true;
      desiredHealthy: number;
      /** How many there should be; where that is none, nothing may go. */
      expectedPods: number;
      /**
       * Names of those that did not count, because nobody says how many of them there should be.
       */
      unmanaged: readonly string[];
    }
  | { isKnown: false; because: string };

/**
 * As upstream's disruption controller: a minimum in pods counts as it is, everything else refers to
 * the wanted replicas.
 */
export function desiredHealthy({ spec }: PodDisruptionBudget, selected: readonly Pod[], findScale: FindScale): Desired {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable === "number")
    return { isKnown: true, desiredHealthy: minAvailable, expectedPods: selected.length, unmanaged: [] };
  const scale = expectedScale(selected, findScale);
  if (!scale.isKnown) return scale;
  const { expectedPods } = scale;
  if (maxUnavailable !== undefined)
    return { ...scale, desiredHealthy: Math.max(0, expectedPods - scaledCount(maxUnavailable, expectedPods, "up")) };
  // A budget that says nothing means that one pod at least stays.
  return { ...scale, desiredHealthy: minAvailable === undefined ? 1 : scaledCount(minAvailable, expectedPods, "up") };
}

/**
 * Tells whether the budget is about a pod of its namespace. The selector is read once, however many
 * pods are asked about.
 */
export function selects({ spec }: PodDisruptionBudget): (pod: Pod) => boolean {
  const selector = toSelector(spec?.selector);
  return ({ metadata }) => matchesLabels(selector, metadata.labels);
}

type Scale = { isKnown: true; expectedPods: number; unmanaged: string[] } | { isKnown: false; because: string };

/** How many pods the controllers of these want, each counted once. */
function expectedScale(pods: readonly Pod[], findScale: FindScale): Scale {
  const replicasByUid = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const { name = "", namespace = "" } = pod.metadata;
    const controller = controllerOf(pod);
    if (controller === undefined) {
      unmanaged.push(name);
      continue;
    }
    const scale = findScale(controller, namespace);
    if (scale === undefined) return { isKnown: false, because: `found no controllers for pod "${name}"` };
    replicasByUid.set(scale.uid, scale.replicas);
  }
  const expectedPods = [...replicasByUid.values()].reduce((sum, replicas) => sum + replicas, 0);
  return { isKnown: true, expectedPods, unmanaged };
}

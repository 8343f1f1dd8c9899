import type { Deployment, ReplicaSet } from "@kintsugi/api";
import { fencepostsOf } from "./fenceposts.ts";
import { desiredReplicasAnnotation, maxReplicasAnnotation, notedNumber } from "./revisions.ts";
import {
  allSets,
  availableOf,
  isActive,
  olderFirst,
  replicasOf,
  type Rollout,
  scaled,
  sum,
  wantedReplicas,
  withSets,
} from "./rollout.ts";

/**
 * Reports whether the Deployment's size has changed since its sets were last scaled: upstream's
 * isScalingEvent.
 */
export function isScaling(rollout: Rollout): boolean {
  const wanted = wantedReplicas(rollout.deployment);
  return allSets(rollout).some((set) => {
    const noted = isActive(set) ? notedNumber(set, desiredReplicasAnnotation) : undefined;
    return noted !== undefined && noted !== wanted;
  });
}

/**
 * Scales the sets to the Deployment's size without a rollout step: upstream's scale. If several
 * sets have pods, each set gains or loses its proportion, so that a change of size in the middle of
 * a rollout does not affect one template only.
 */
export function planScaling(rollout: Rollout): Rollout {
  const { deployment, newSet, oldSets } = rollout;
  const wanted = wantedReplicas(deployment);
  const only = activeOrLatest(rollout);
  if (only !== undefined) {
    return withSets(rollout, (set) => (set === only ? scaled(set, wanted, deployment) : set));
  }
  if (newSet !== undefined && isSaturated(newSet, deployment)) {
    return { ...rollout, oldSets: oldSets.map((set) => (isActive(set) ? scaled(set, 0, deployment) : set)) };
  }
  if (deployment.spec?.strategy?.type === "Recreate") return rollout;
  const sizes = proportionalSizes(rollout);
  return withSets(rollout, (set) => {
    const size = sizes.get(set);
    return size === undefined ? set : scaled(set, size, deployment);
  });
}

/**
 * The only set with pods, or the newest set if no set has pods; undefined if several sets have
 * pods.
 */
function activeOrLatest(rollout: Rollout): ReplicaSet | undefined {
  const active = allSets(rollout).filter(isActive);
  if (active.length === 0) return rollout.newSet ?? rollout.oldSets.toSorted(olderFirst).at(-1);
  return active.length === 1 ? active[0] : undefined;
}

function isSaturated(set: ReplicaSet, deployment: Deployment): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    replicasOf(set) === wanted && notedNumber(set, desiredReplicasAnnotation) === wanted && availableOf(set) === wanted
  );
}

function proportionalSizes(rollout: Rollout): Map<ReplicaSet, number> {
  const { deployment } = rollout;
  const active = allSets(rollout).filter(isActive);
  const wanted = wantedReplicas(deployment);
  const allowed = wanted > 0 ? wanted + fencepostsOf(deployment).maxSurge : 0;
  const change = allowed - sum(active, replicasOf);
  // The largest set takes the remainder of rounding. Of equal sets, the newer set grows first and
  // the older set shrinks first.
  const sorted = active.toSorted((a, b) => {
    const bySize = replicasOf(b) - replicasOf(a);
    if (bySize !== 0) return bySize;
    return change > 0 ? olderFirst(b, a) : olderFirst(a, b);
  });
  const sizes = new Map<ReplicaSet, number>();
  let done = 0;
  for (const set of sorted) {
    const share = change === 0 ? 0 : proportion(set, deployment, { change, done });
    sizes.set(set, replicasOf(set) + share);
    done += share;
  }
  const [largest] = sorted;
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + change - done));
  return sizes;
}

function proportion(
  set: ReplicaSet,
  deployment: Deployment,
  { change, done }: { change: number; done: number },
): number {
  if (change === done) return 0;
  const fraction = fractionOf(set, deployment);
  return change > 0 ? Math.min(fraction, change - done) : Math.max(fraction, change - done);
}

/**
 * Returns the number of pods that the set gains or loses if its proportion of the whole remains
 * constant.
 */
function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const wanted = wantedReplicas(deployment);
  if (wanted === 0) return -replicasOf(set);
  const before = (notedNumber(set, maxReplicasAnnotation) ?? 0) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const after = wanted + fencepostsOf(deployment).maxSurge;
  return Math.round((replicasOf(set) * after) / before) - replicasOf(set);
}

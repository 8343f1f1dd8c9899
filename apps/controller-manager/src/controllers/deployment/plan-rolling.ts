import type { Deployment, ReplicaSet } from "@kintsugi/api";
import { fencepostsOf } from "./fenceposts.ts";
import { allSets, availableOf, isActive, replicasOf, type Rollout, scaled, sum, wantedReplicas } from "./rollout.ts";

// One step of a rollout by RollingUpdate, with replicas 10, maxSurge 3, maxUnavailable 2:
//
//            new   old   pods at most 13, available at least 8
//   made       3    10   as many new pods as the surge allows
//              3     8   two old pods may be missing
//   ready      5     8   13 again, and so on, whenever a pod becomes available
//
// The sets' statuses count the available pods and may be late. A late status makes the step
// smaller, never larger.

/**
 * Returns the size that the set of the present template may have now: upstream's NewRSNewReplicas.
 */
export function newSetReplicas(rollout: Rollout): number {
  const { deployment, newSet } = rollout;
  const wanted = wantedReplicas(deployment);
  const now = newSet === undefined ? 0 : replicasOf(newSet);
  if (deployment.spec?.strategy?.type === "Recreate") return wanted;
  const room = wanted + fencepostsOf(deployment).maxSurge - sum(allSets(rollout), replicasOf);
  return room <= 0 ? now : now + Math.min(room, wanted - now);
}

/**
 * Plans the next step, of one kind at a time as in upstream's rolloutRolling: the new set grows
 * first, and the old sets shrink only if the new set does not grow.
 */
export function planRolling(rollout: Rollout): Rollout {
  const { deployment, newSet } = rollout;
  if (newSet === undefined) return rollout;
  const wanted = wantedReplicas(deployment);
  const size = replicasOf(newSet) > wanted ? wanted : newSetReplicas(rollout);
  if (size !== replicasOf(newSet)) return { ...rollout, newSet: scaled(newSet, size, deployment) };
  return { ...rollout, oldSets: shrunk(rollout, newSet) };
}

function shrunk(rollout: Rollout, newSet: ReplicaSet): readonly ReplicaSet[] {
  const { deployment, oldSets } = rollout;
  if (!oldSets.some(isActive)) return oldSets;
  const minAvailable = wantedReplicas(deployment) - fencepostsOf(deployment).maxUnavailable;
  // New pods that are not available yet may all fail, so they never replace old pods.
  const newUnavailable = replicasOf(newSet) - surelyAvailable(newSet);
  const spare = sum(allSets(rollout), replicasOf) - minAvailable - newUnavailable;
  if (spare <= 0) return oldSets;
  const cleaned = withoutUnhealthy(oldSets, spare, deployment);
  const available = sum([...cleaned, newSet], surelyAvailable);
  return shrunkBy(cleaned, available - minAvailable, deployment);
}

/**
 * A set that was scaled down a moment ago still reports its earlier number of available pods; pods
 * beyond its size count as deleted. Upstream counts them as available, and then removes too many of
 * the other pods.
 */
function surelyAvailable(set: ReplicaSet): number {
  return Math.min(replicasOf(set), availableOf(set));
}

/**
 * Pods that are not available do not serve requests, so they are removed first, from any of the
 * sets.
 */
function withoutUnhealthy(oldSets: readonly ReplicaSet[], most: number, deployment: Deployment): ReplicaSet[] {
  let left = most;
  return oldSets.map((set) => {
    const count = Math.min(left, replicasOf(set) - availableOf(set));
    if (!isActive(set) || count <= 0) return set;
    left -= count;
    return scaled(set, replicasOf(set) - count, deployment);
  });
}

/** The oldest sets shrink first. */
function shrunkBy(oldSets: readonly ReplicaSet[], most: number, deployment: Deployment): ReplicaSet[] {
  let left = most;
  return oldSets.map((set) => {
    const count = Math.min(left, replicasOf(set));
    if (count <= 0) return set;
    left -= count;
    return scaled(set, replicasOf(set) - count, deployment);
  });
}

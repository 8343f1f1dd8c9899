import type { Deployment, ReplicaSet } from "@kintsugi/api";
import { fencepostsOf } from "./fenceposts.ts";
import { allSets, availableOf, isActive, replicasOf, type Rollout, scaled, sum, wantedReplicas } from "./rollout.ts";

// One step of a rollout by RollingUpdate, with replicas 10, maxSurge 3, maxUnavailable 2:
//
//            new   old   pods at most 13, available at least 8
//   made       3    10   as many new ones as may be there in addition
//              3     8   two old ones may be missing
//   ready      5     8   13 again, and so on, as often as a pod becomes available
//
// The sets' statuses count the available pods and may be late: then the step is smaller, never
// larger.

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
 * The next step, of one kind at a time as upstream: the new set grows first, and only where it need
 * not do old ones shrink.
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
  // New pods that are not available yet may all fail, so none of them takes an old one's place.
  const newUnavailable = replicasOf(newSet) - surelyAvailable(newSet);
  const spare = sum(allSets(rollout), replicasOf) - minAvailable - newUnavailable;
  if (spare <= 0) return oldSets;
  const cleaned = withoutUnhealthy(oldSets, spare, deployment);
  const available = sum([...cleaned, newSet], surelyAvailable);
  return shrunkBy(cleaned, available - minAvailable, deployment);
}

/**
 * A set that has just been made smaller still reports the number that was available before; pods
 * beyond its size are as good as gone. Upstream counts them, and then takes too many of the rest.
 */
function surelyAvailable(set: ReplicaSet): number {
  return Math.min(replicasOf(set), availableOf(set));
}

/** Pods that are not available serve no requests: they go first, from any of the sets. */
function withoutUnhealthy(oldSets: readonly ReplicaSet[], most: number, deployment: Deployment): ReplicaSet[] {
  let left = most;
  return oldSets.map((set) => {
    const count = Math.min(left, replicasOf(set) - availableOf(set));
    if (!isActive(set) || count <= 0) return set;
    left -= count;
    return scaled(set, replicasOf(set) - count, deployment);
  });
}

/** The oldest shrink first. */
function shrunkBy(oldSets: readonly ReplicaSet[], most: number, deployment: Deployment): ReplicaSet[] {
  let left = most;
  return oldSets.map((set) => {
    const count = Math.min(left, replicasOf(set));
    if (count <= 0) return set;
    left -= count;
    return scaled(set, replicasOf(set) - count, deployment);
  });
}

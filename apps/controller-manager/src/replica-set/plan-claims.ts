import {
  controllerOf,
  controllerReference,
  isControlledBy,
  isPodActive,
  matchesLabels,
  type OwnerReference,
  type Pod,
  type ReplicaSet,
  replicaSets,
  toSelector,
} from "@kintsugi/api";

export interface Claims {
  /** Already the set's, and matching. */
  keep: Pod[];
  /** Matching and nobody's. */
  adopt: Pod[];
  /** The set's, and not matching any more. */
  release: Pod[];
}

/** Which pods belong to the set: upstream's ControllerRefManager. A set that is being deleted neither adopts nor releases. */
export function planClaims(set: ReplicaSet, pods: readonly Pod[]): Claims {
  const claims: Claims = { keep: [], adopt: [], release: [] };
  const selector = toSelector(set.spec?.selector);
  const isDeleting = set.metadata.deletionTimestamp !== undefined;
  for (const pod of pods) {
    const matches = matchesLabels(selector, pod.metadata.labels);
    if (isControlledBy(pod, set)) {
      if (matches) claims.keep.push(pod);
      else if (!isDeleting && isPodActive(pod)) claims.release.push(pod);
    } else if (matches && !isDeleting && isPodActive(pod) && !controllerOf(pod)) {
      claims.adopt.push(pod);
    }
  }
  return claims;
}

export function adopted(pod: Pod, set: ReplicaSet): OwnerReference[] {
  return [...(pod.metadata.ownerReferences ?? []), controllerReference(set, replicaSets)];
}

export function released(pod: Pod, set: ReplicaSet): OwnerReference[] {
  return (pod.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== set.metadata.uid);
}

import {
  controllerReference,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  pods,
  type ResourceType,
  sameJson,
  type StatefulSet,
  statefulSets,
} from "@kintsugi/api";
import { isInRange } from "./identity.ts";

// The owners of a claim, which the garbage collector follows (KEP-1847):
//
//   whenDeleted  whenScaled  the pod is wanted    the pod is scaled down
//   Retain       Retain      none                 none
//   Delete       Retain      the set              the set
//   Retain       Delete      none                 the pod
//   Delete       Delete      the set              the pod

/** A pod of the set, with its ordinal. */
export interface Member {
  pod: Pod;
  ordinal: number;
}

/**
 * The owner references that a claim of the pod must have by the set's retention policy; undefined
 * when it has them. A claim is left unchanged if it names an earlier set or pod of the same name,
 * because the garbage collector is about to act on it, or if another controller manages it.
 */
export function planClaimOwners(
  set: StatefulSet,
  { pod, ordinal }: Member,
  claim: PersistentVolumeClaim,
): OwnerReference[] | undefined {
  const references = claim.metadata.ownerReferences ?? [];
  const ours = [asOwner(set, statefulSets), asOwner(pod, pods)];
  if (references.some((reference) => ours.some((owner) => isStale(reference, owner)))) return undefined;
  const others = references.filter((reference) => ours.every(({ uid }) => reference.uid !== uid));
  const isForeign = !retainsAll(set) && others.some(({ controller }) => controller === true);
  const wanted = isForeign ? [] : ownersByPolicy(set, { pod, ordinal });
  const next = [...others, ...wanted];
  return sameOwners(next, references) ? undefined : next;
}

/** A claim that the garbage collector deletes with an earlier pod of the same name. */
export function isStaleClaim(set: StatefulSet, podName: string, claim: PersistentVolumeClaim): boolean {
  if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return false;
  return (claim.metadata.ownerReferences ?? []).some(({ kind, name }) => kind === pods.kind && name === podName);
}

function ownersByPolicy(set: StatefulSet, { pod, ordinal }: Member): OwnerReference[] {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled === "Delete" && !isInRange(set, ordinal)) return [controllerReference(pod, pods)];
  return whenDeleted === "Delete" ? [controllerReference(set, statefulSets)] : [];
}

function retainsAll({ spec }: StatefulSet): boolean {
  const { whenDeleted, whenScaled } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return whenDeleted !== "Delete" && whenScaled !== "Delete";
}

function asOwner(object: StatefulSet | Pod, type: ResourceType): OwnerReference {
  return controllerReference(object, type);
}

function isStale(reference: OwnerReference, owner: OwnerReference): boolean {
  const { apiVersion, kind, name, uid } = owner;
  const isNamed = reference.apiVersion === apiVersion && reference.kind === kind && reference.name === name;
  return isNamed && reference.uid !== uid;
}

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  const sorted = (list: readonly OwnerReference[]) => list.toSorted((x, y) => (x.uid < y.uid ? -1 : 1));
  return sameJson(sorted(a), sorted(b));
}

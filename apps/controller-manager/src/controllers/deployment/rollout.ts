import {
  apiVersionOf,
  controllerReference,
  type Deployment,
  deployments,
  type LabelSelector,
  parseTimestamp,
  type PodTemplateSpec,
  type ReplicaSet,
  replicaSets,
} from "@kintsugi/api";
import { fencepostsOf } from "./fenceposts.ts";
import { nextRevision, newSetAnnotations, replicasAnnotations } from "./revisions.ts";
import { hashLabel, isSameTemplate, templateHash, withHash } from "./template-hash.ts";

/** The planned ReplicaSets of a Deployment, before they are written. */
export interface Rollout {
  readonly deployment: Deployment;
  /** The set of the present template; undefined if it does not exist. */
  readonly newSet: ReplicaSet | undefined;
  /** All other sets, oldest first. */
  readonly oldSets: readonly ReplicaSet[];
}

/**
 * Separates the set of the present template from the other sets. If several sets match, the oldest
 * is chosen: upstream's FindNewReplicaSet.
 */
export function rolloutOf(deployment: Deployment, sets: readonly ReplicaSet[]): Rollout {
  const byAge = sets.toSorted(olderFirst);
  const newSet = byAge.find((set) => isSameTemplate(set.spec?.template, deployment.spec?.template));
  return { deployment, newSet, oldSets: byAge.filter((set) => set !== newSet) };
}

export function allSets({ newSet, oldSets }: Rollout): ReplicaSet[] {
  return newSet === undefined ? [...oldSets] : [...oldSets, newSet];
}

/** Replaces the sets for which `change` returns a different set. */
export function withSets(rollout: Rollout, change: (set: ReplicaSet) => ReplicaSet): Rollout {
  const { newSet, oldSets } = rollout;
  return { ...rollout, newSet: newSet && change(newSet), oldSets: oldSets.map(change) };
}

/**
 * The set with this number of replicas and the Deployment's size in its annotations; the same
 * object when it does not change.
 */
export function scaled(set: ReplicaSet, replicas: number, deployment: Deployment): ReplicaSet {
  const { maxSurge } = fencepostsOf(deployment);
  const noted = replicasAnnotations(deployment, maxSurge);
  const { annotations } = set.metadata;
  const isNoted = Object.entries(noted).every(([name, value]) => annotations?.[name] === value);
  if (replicasOf(set) === replicas && isNoted) return set;
  return {
    ...set,
    metadata: { ...set.metadata, annotations: { ...annotations, ...noted } },
    spec: { ...specOf(set), replicas },
  };
}

/**
 * The set for a template that does not have a set yet: it has no pods, and its name is derived from
 * the template.
 */
export function makeNewSet(rollout: Rollout): ReplicaSet {
  const { deployment, oldSets } = rollout;
  const { metadata, spec } = deployment;
  const hash = templateHash(templateOf(deployment), deployment.status?.collisionCount);
  const template = withHash(templateOf(deployment), hash);
  const { maxSurge } = fencepostsOf(deployment);
  return {
    apiVersion: apiVersionOf(replicaSets),
    kind: replicaSets.kind,
    metadata: {
      name: `${metadata.name ?? ""}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: template.metadata?.labels,
      annotations: {
        ...newSetAnnotations(deployment, undefined, nextRevision(oldSets)),
        ...replicasAnnotations(deployment, maxSurge),
      },
      ownerReferences: [controllerReference(deployment, deployments)],
    },
    spec: {
      replicas: 0,
      ...(spec?.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: withHashLabel(spec?.selector ?? {}, hash),
      template,
    },
  };
}

/** Returns the set of the present template with the Deployment's settings, except its size. */
export function refreshed(set: ReplicaSet, { deployment, oldSets }: Rollout): ReplicaSet {
  const annotations = newSetAnnotations(deployment, set, nextRevision(oldSets));
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isSame = Object.entries(annotations).every(([name, value]) => set.metadata.annotations?.[name] === value);
  if (isSame && (set.spec?.minReadySeconds ?? 0) === minReadySeconds) return set;
  return {
    ...set,
    metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...annotations } },
    spec: { ...specOf(set), minReadySeconds },
  };
}

export function replicasOf(set: ReplicaSet): number {
  return set.spec?.replicas ?? 1;
}

export function wantedReplicas({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

export function availableOf(set: ReplicaSet): number {
  return set.status?.availableReplicas ?? 0;
}

export function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + count(set), 0);
}

export function isActive(set: ReplicaSet): boolean {
  return replicasOf(set) > 0;
}

/** Orders by creation, then by name. */
export function olderFirst(a: ReplicaSet, b: ReplicaSet): number {
  const ageMs = createdMs(a) - createdMs(b);
  return ageMs === 0 ? ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1) : ageMs;
}

function createdMs({ metadata }: ReplicaSet): number {
  return metadata.creationTimestamp === undefined ? Infinity : parseTimestamp(metadata.creationTimestamp);
}

function specOf({ spec }: ReplicaSet): NonNullable<ReplicaSet["spec"]> {
  return spec ?? { selector: {} };
}

function templateOf({ spec }: Deployment): PodTemplateSpec {
  return spec?.template ?? {};
}

function withHashLabel(selector: LabelSelector, hash: string): LabelSelector {
  return { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } };
}

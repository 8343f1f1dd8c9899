import {
  findCondition,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminating,
  matchesLabels,
  mapSelector,
  type Pod,
  type ReplicaSet,
  type ReplicaSetCondition,
  type ReplicaSetStatus,
  formatTimestamp,
  selectsEverything,
  withoutCondition,
} from "@kintsugi/api";
import { planDeletions } from "../owners/plan-deletions.ts";

/**
 * Pods created or deleted in one pass: upstream's BurstReplicas. A larger number would delay every
 * other set.
 */
const burstReplicas = 500;

export interface ReplicaPlan {
  create: number;
  delete: readonly Pod[];
}

/** Plans the steps that bring the number of active pods to the number that the set requests. */
export function planReplicas(set: ReplicaSet, pods: OwnedPods, nowMs: number): ReplicaPlan {
  const missing = (set.spec?.replicas ?? 1) - pods.active.length;
  if (missing >= 0) return { create: Math.min(missing, burstReplicas), delete: [] };
  const count = Math.min(-missing, burstReplicas);
  return { create: 0, delete: planDeletions({ pods: pods.active, related: pods.related, count }, nowMs) };
}

export interface OwnedPods {
  /** Pods that have not ended and have no deletion timestamp. */
  active: readonly Pod[];
  terminating: readonly Pod[];
  /** Active pods of this set and of its siblings below the same owner. */
  related: readonly Pod[];
}

export function sortPods(pods: readonly Pod[]): { active: Pod[]; terminating: Pod[] } {
  return { active: pods.filter(isPodActive), terminating: pods.filter(isPodTerminating) };
}

/** The reason for the failure to make or delete pods, if there was a failure. */
export interface ReplicaFailure {
  reason: "FailedCreate" | "FailedDelete";
  message: string;
}

export interface StatusInput {
  set: ReplicaSet;
  active: readonly Pod[];
  terminating: readonly Pod[];
  /** `undefined` if nothing was tried; then the last failure remains valid. */
  outcome: { failure: ReplicaFailure | undefined } | undefined;
}

export function planStatus({ set, active, terminating, outcome }: StatusInput, nowMs: number): ReplicaSetStatus {
  const labels = set.spec?.template?.metadata?.labels ?? {};
  const template = Object.keys(labels).length === 0 ? selectsEverything : mapSelector(labels);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const conditions = planConditions(set.status?.conditions, outcome, nowMs);
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => matchesLabels(template, pod.metadata.labels)).length,
    readyReplicas: active.filter(isPodReady).length,
    availableReplicas: active.filter((pod) => isPodAvailable(pod, minReadySeconds, nowMs)).length,
    terminatingReplicas: terminating.length,
    observedGeneration: set.metadata.generation,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function planConditions(
  conditions: readonly ReplicaSetCondition[] | undefined,
  outcome: StatusInput["outcome"],
  nowMs: number,
): ReplicaSetCondition[] {
  const present = [...(conditions ?? [])];
  if (!outcome) return present;
  if (!outcome.failure) return withoutCondition(present, "ReplicaFailure");
  if (findCondition(present, "ReplicaFailure")) return present;
  const lastTransitionTime = formatTimestamp(nowMs);
  return [...present, { type: "ReplicaFailure", status: "True", lastTransitionTime, ...outcome.failure }];
}

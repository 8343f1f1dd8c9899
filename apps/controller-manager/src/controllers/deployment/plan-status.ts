import {
  type Deployment,
  type DeploymentCondition,
  type DeploymentStatus,
  findCondition,
  formatTimestamp,
  parseTimestamp,
  type ReplicaSet,
  withoutCondition,
} from "@kintsugi/api";
import { fencepostsOf } from "./fenceposts.ts";
import { allSets, availableOf, replicasOf, type Rollout, sum, wantedReplicas } from "./rollout.ts";

// Conditions and their reasons are upstream's (pkg/controller/deployment/progress.go); `kubectl
// rollout status` depends on them.

const progressing = "Progressing";
const timedOut = "ProgressDeadlineExceeded";
const complete = "NewReplicaSetAvailable";

type Note = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/** The status that follows from the sets, with `noted` in place of the previous conditions. */
export function planRolloutStatus(
  rollout: Rollout,
  noted: readonly DeploymentCondition[],
  nowMs: number,
): DeploymentStatus {
  const { deployment, newSet } = rollout;
  const counts = countPods(rollout);
  let conditions = withAvailability(noted, counts, { deployment, nowMs });
  conditions = hasDeadline(deployment)
    ? withProgress(conditions, { rollout, counts, nowMs })
    : withoutCondition(conditions, progressing);
  conditions = withFailure(conditions, newSet === undefined ? rollout.oldSets : [newSet, ...rollout.oldSets]);
  return {
    ...counts,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(deployment.status?.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
  };
}

/**
 * Plans the status of a Deployment that is only scaled, paused or being deleted: its progress is
 * not judged.
 */
export function planRestingStatus(
  rollout: Rollout,
  noted: readonly DeploymentCondition[],
  nowMs: number,
): DeploymentStatus {
  const { collisionCount } = rollout.deployment.status ?? {};
  const counts = countPods(rollout);
  return {
    ...counts,
    conditions: withAvailability(noted, counts, { deployment: rollout.deployment, nowMs }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
}

/**
 * The conditions after an action that is not progress by itself, such as making a set or pausing.
 */
export function withNote(conditions: readonly DeploymentCondition[], note: Note, nowMs: number): DeploymentCondition[] {
  const before = findCondition(conditions, note.type);
  if (before !== undefined && before.status === note.status && before.reason === note.reason) return [...conditions];
  const now = formatTimestamp(nowMs);
  const lastTransitionTime = before?.status === note.status ? before.lastTransitionTime : now;
  return [...withoutCondition(conditions, note.type), { ...note, lastUpdateTime: now, lastTransitionTime }];
}

/**
 * Adds the condition that the Deployment was paused or resumed; upstream's checkPausedConditions.
 */
export function withPause(
  { spec }: Deployment,
  conditions: readonly DeploymentCondition[],
  nowMs: number,
): DeploymentCondition[] {
  const reason = findCondition(conditions, progressing)?.reason;
  const isPaused = spec?.paused === true;
  if (!hasDeadline({ spec }) || reason === timedOut || isPaused === (reason === "DeploymentPaused"))
    return [...conditions];
  const note = isPaused
    ? { reason: "DeploymentPaused", message: "Deployment is paused" }
    : { reason: "DeploymentResumed", message: "Deployment is resumed" };
  return withNote(conditions, { type: progressing, status: "Unknown", ...note }, nowMs);
}

/**
 * Adds the condition that the set of the present template was created, or was found by a controller
 * that had not recorded progress before.
 */
export function withNewSet(
  conditions: readonly DeploymentCondition[],
  input: { deployment: Deployment; newSet: ReplicaSet; isNew: boolean; nowMs: number },
): DeploymentCondition[] {
  const { deployment, newSet, isNew, nowMs } = input;
  if (!hasDeadline(deployment)) return [...conditions];
  if (!isNew && findCondition(conditions, progressing) !== undefined) return [...conditions];
  const note = isNew
    ? { reason: "NewReplicaSetCreated", message: `Created new replica set "${newSet.metadata.name}"` }
    : { reason: "FoundNewReplicaSet", message: `Found new replica set "${newSet.metadata.name}"` };
  return withNote(conditions, { type: progressing, status: "True", ...note }, nowMs);
}

/**
 * Returns the time until the rollout exceeds its progress deadline. Undefined if the Deployment has
 * no deadline, or if the rollout was complete: a pod that is lost later never causes a timeout.
 */
export function deadlineInMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const condition = findCondition(status.conditions, progressing);
  if (!hasDeadline(deployment) || condition?.lastUpdateTime === undefined) return undefined;
  if (condition.reason === complete || condition.reason === timedOut) return undefined;
  if (isComplete(deployment, status)) return undefined;
  // One second is added because times in statuses have no fractions.
  return Math.max(0, parseTimestamp(condition.lastUpdateTime) + deadlineMs(deployment) - nowMs) + 1000;
}

/** Reports whether all wanted pods exist, are available, and have the present template. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

type Counts = ReturnType<typeof countPods>;

function countPods(rollout: Rollout) {
  const { deployment, newSet } = rollout;
  const sets = allSets(rollout);
  const availableReplicas = sum(sets, availableOf);
  return {
    observedGeneration: deployment.metadata.generation,
    replicas: sum(sets, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sum(sets, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, sum(sets, replicasOf) - availableReplicas),
    terminatingReplicas: sum(sets, ({ status }) => status?.terminatingReplicas ?? 0),
  };
}

function withAvailability(
  conditions: readonly DeploymentCondition[],
  { availableReplicas }: Counts,
  { deployment, nowMs }: { deployment: Deployment; nowMs: number },
): DeploymentCondition[] {
  const enough = wantedReplicas(deployment) - fencepostsOf(deployment).maxUnavailable;
  const note: Note =
    availableReplicas >= enough
      ? {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        }
      : {
          type: "Available",
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        };
  return withNote(conditions, note, nowMs);
}

function withProgress(
  conditions: readonly DeploymentCondition[],
  input: { rollout: Rollout; counts: Counts; nowMs: number },
): DeploymentCondition[] {
  const { rollout, counts, nowMs } = input;
  const { deployment, newSet } = rollout;
  const before = findCondition(conditions, progressing);
  if (counts.replicas === counts.updatedReplicas && before?.reason === complete) return [...conditions];
  const what =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  if (isComplete(deployment, counts)) {
    const message = `${what} has successfully progressed.`;
    return withNote(conditions, { type: progressing, status: "True", reason: complete, message }, nowMs);
  }
  if (hasProgressed(deployment.status ?? {}, counts)) {
    const now = formatTimestamp(nowMs);
    const lastTransitionTime = before?.status === "True" ? before.lastTransitionTime : now;
    const note: Note = {
      type: progressing,
      status: "True",
      reason: "ReplicaSetUpdated",
      message: `${what} is progressing.`,
    };
    return [...withoutCondition(conditions, progressing), { ...note, lastUpdateTime: now, lastTransitionTime }];
  }
  if (!isTimedOut(deployment, before, nowMs)) return [...conditions];
  const message = `${what} has timed out progressing.`;
  return withNote(conditions, { type: progressing, status: "False", reason: timedOut, message }, nowMs);
}

/** Reports more pods of the present template, fewer old pods, or more ready or available pods. */
function hasProgressed(before: DeploymentStatus, after: Counts): boolean {
  const others = (before.replicas ?? 0) - (before.updatedReplicas ?? 0);
  return (
    after.updatedReplicas > (before.updatedReplicas ?? 0) ||
    after.replicas - after.updatedReplicas < others ||
    after.readyReplicas > (before.readyReplicas ?? 0) ||
    after.availableReplicas > (before.availableReplicas ?? 0)
  );
}

function isTimedOut(deployment: Deployment, condition: DeploymentCondition | undefined, nowMs: number): boolean {
  if (condition?.lastUpdateTime === undefined || condition.reason === complete) return false;
  if (condition.reason === timedOut) return true;
  return parseTimestamp(condition.lastUpdateTime) + deadlineMs(deployment) < nowMs;
}

/**
 * Adds a set's failure to create or delete pods to the Deployment's conditions. The failure of the
 * present template's set takes precedence.
 */
function withFailure(conditions: readonly DeploymentCondition[], sets: readonly ReplicaSet[]): DeploymentCondition[] {
  const failure = sets.flatMap(({ status }) => findCondition(status?.conditions, "ReplicaFailure") ?? [])[0];
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  const before = findCondition(conditions, "ReplicaFailure");
  if (before?.status === failure.status && before.reason === failure.reason) return [...conditions];
  const { type, status, reason, message, lastTransitionTime } = failure;
  const own = { type, status, reason, message, lastUpdateTime: lastTransitionTime, lastTransitionTime };
  return [...withoutCondition(conditions, "ReplicaFailure"), own];
}

/** The largest number represents an absent deadline. */
function hasDeadline({ spec }: Pick<Deployment, "spec">): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2_147_483_647;
}

function deadlineMs({ spec }: Deployment): number {
  return (spec?.progressDeadlineSeconds ?? 0) * 1000;
}

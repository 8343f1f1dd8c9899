import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "@kintsugi/api";
import { newSetReplicas, planRolling } from "./plan-rolling.ts";
import { isScaling, planScaling } from "./plan-scaling.ts";
import { isComplete, planRestingStatus, planRolloutStatus, withNewSet, withPause } from "./plan-status.ts";
import { compareRevisions, revisionAnnotation } from "./revisions.ts";
import {
  allSets,
  isActive,
  makeNewSet,
  refreshed,
  type Rollout,
  rolloutOf,
  scaled,
  wantedReplicas,
  withSets,
} from "./rollout.ts";

export interface DeploymentView {
  deployment: Deployment;
  /** The ReplicaSets that belong to the Deployment. */
  sets: readonly ReplicaSet[];
  /** Reports whether the set has a pod that has not ended. */
  hasPods(set: ReplicaSet): boolean;
}

export interface DeploymentPlan {
  /** The new set of a template that does not have a set yet. */
  create: ReplicaSet | undefined;
  /** Sets before and after the planned write. */
  update: readonly { before: ReplicaSet; after: ReplicaSet }[];
  /** Old sets beyond the history to which a user can roll back. */
  remove: readonly ReplicaSet[];
  /** The revision that is written with the status. */
  revision: string | undefined;
  status: DeploymentStatus;
}

/**
 * Plans a Deployment's next step: upstream's syncDeployment. A step is as large as the known state
 * allows. The next step follows from the status of the sets.
 */
export function planDeployment(view: DeploymentView, nowMs: number): DeploymentPlan {
  const { deployment } = view;
  const found = rolloutOf(deployment, view.sets);
  const told = [...(deployment.status?.conditions ?? [])];
  if (deployment.metadata.deletionTimestamp !== undefined) return resting(found, { found, told, nowMs });
  const conditions = withPause(deployment, told, nowMs);
  const present = withRefreshedSet(found);
  const noted = noteNewSet(present, conditions, nowMs);
  if (deployment.spec?.paused === true || isScaling(present)) {
    const after = planScaling(present);
    const plan = resting(after, { found, told: noted, nowMs });
    return deployment.spec?.paused === true ? { ...plan, remove: planCleanup(after) } : plan;
  }
  if (deployment.spec?.strategy?.type === "Recreate") return recreate(view, present, { found, noted, nowMs });
  return roll(present, { found, noted, nowMs });
}

interface Context {
  /** The sets as they are stored. */
  found: Rollout;
  noted: readonly DeploymentCondition[];
  nowMs: number;
}

function roll(present: Rollout, context: Context): DeploymentPlan {
  const made = present.newSet === undefined ? withNewSetMade(present) : present;
  const after = planRolling(made);
  return rollingPlan(after, context);
}

/** All old pods are deleted, and must have ended before the first new pod starts. */
function recreate(view: DeploymentView, present: Rollout, context: Context): DeploymentPlan {
  const { deployment, oldSets } = present;
  if (oldSets.some(isActive)) {
    const emptied = oldSets.map((set) => (isActive(set) ? scaled(set, 0, deployment) : set));
    return rollingPlan({ ...present, oldSets: emptied }, context);
  }
  const isOccupied = oldSets.some((set) => (set.status?.replicas ?? 0) > 0 || view.hasPods(set));
  if (isOccupied) return rollingPlan(present, context);
  const made = present.newSet === undefined ? withNewSetMade(present) : present;
  const after = withSets(made, (set) =>
    set === made.newSet ? scaled(set, wantedReplicas(deployment), deployment) : set,
  );
  return rollingPlan(after, context);
}

function rollingPlan(after: Rollout, { found, noted, nowMs }: Context): DeploymentPlan {
  const { deployment, newSet } = after;
  const isNew = newSet !== undefined && found.newSet === undefined;
  const conditions = isNew ? withNewSet(noted, { deployment, newSet, isNew, nowMs }) : noted;
  const status = planRolloutStatus(after, conditions, nowMs);
  const changes = changesOf(found, after);
  const isDone = changes.update.length === 0 && isComplete(deployment, status);
  return { ...changes, remove: isDone ? planCleanup(after) : [], revision: revisionFor(after), status };
}

function resting(
  after: Rollout,
  { found, told, nowMs }: { found: Rollout; told: readonly DeploymentCondition[]; nowMs: number },
): DeploymentPlan {
  const status = planRestingStatus(after, told, nowMs);
  return { ...changesOf(found, after), remove: [], revision: revisionFor(after), status };
}

function withNewSetMade(rollout: Rollout): Rollout {
  const newSet = makeNewSet(rollout);
  const size = newSetReplicas({ ...rollout, newSet });
  return { ...rollout, newSet: { ...newSet, spec: { selector: {}, ...newSet.spec, replicas: size } } };
}

function withRefreshedSet(rollout: Rollout): Rollout {
  return rollout.newSet === undefined ? rollout : { ...rollout, newSet: refreshed(rollout.newSet, rollout) };
}

function noteNewSet(
  { deployment, newSet }: Rollout,
  conditions: readonly DeploymentCondition[],
  nowMs: number,
): readonly DeploymentCondition[] {
  return newSet === undefined ? conditions : withNewSet(conditions, { deployment, newSet, isNew: false, nowMs });
}

function changesOf(found: Rollout, after: Rollout): Pick<DeploymentPlan, "create" | "update"> {
  const before = new Map(allSets(found).map((set) => [set.metadata.uid, set]));
  const update = allSets(after).flatMap((set) => {
    const known = before.get(set.metadata.uid);
    return known === undefined || known === set ? [] : [{ before: known, after: set }];
  });
  return { create: found.newSet === undefined ? after.newSet : undefined, update };
}

/**
 * Returns the revision of the present template, for the Deployment's annotation; undefined where
 * the annotation does not change.
 */
function revisionFor({ deployment, newSet }: Rollout): string | undefined {
  const revision = newSet?.metadata.annotations?.[revisionAnnotation];
  return deployment.metadata.annotations?.[revisionAnnotation] === revision ? undefined : revision;
}

/** Old sets without pods beyond `revisionHistoryLimit`, oldest revision first. */
function planCleanup({ deployment, oldSets }: Rollout): ReplicaSet[] {
  const limit = deployment.spec?.revisionHistoryLimit;
  if (limit === undefined) return [];
  const alive = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = Math.max(0, alive.length - limit);
  const byRevision = alive.toSorted(compareRevisions);
  return byRevision.slice(0, surplus).filter((set) => {
    const isSettled = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
    return !isActive(set) && (set.status?.replicas ?? 0) === 0 && isSettled;
  });
}

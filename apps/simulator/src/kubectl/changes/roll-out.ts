import {
  type ApiObject,
  collectionPath,
  controllerOf,
  type ControllerRevision,
  controllerRevisions,
  type DaemonSet,
  type Deployment,
  findCondition,
  type PodTemplateSpec,
  type ReplicaSet,
  replicaSets,
  type StatefulSet,
  textTable,
  formatTimestamp,
} from "@kintsugi/api";
import type { DiscoveredType } from "@kintsugi/client";
import { findType, qualified } from "../find-type.ts";
import { type KubectlCommand, patchForms, type RolloutAction, UnusableCommand } from "../kubectl-command.ts";
import { type KubectlAnswer, type KubectlWorld, sendChange, told } from "../kubectl-world.ts";
import { call, readObjects, targetPath } from "../read-objects.ts";

const revisionAnnotation = "deployment.kubernetes.io/revision";
const changeCauseAnnotation = "kubernetes.io/change-cause";
const restartedAnnotation = "kubectl.kubernetes.io/restartedAt";
const hashLabel = "pod-template-hash";
const rolledOutKinds = ["Deployment", "StatefulSet", "DaemonSet"];

type RolledOut = ApiObject & { readonly spec?: { readonly paused?: boolean } };

/**
 * Runs `kubectl rollout`. `status` reports the state once, and does not wait.
 * @throws ApiError, UnusableCommand
 */
export async function rollOut(
  { action, target }: Extract<KubectlCommand, { is: "rollout" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const type = findType(target.type, world.types);
  if (!rolledOutKinds.includes(type.kind))
    throw new UnusableCommand(`rollout applies to ${rolledOutKinds.join(", ")}, not to ${type.kind}`);
  const lines: string[] = [];
  for (const object of (await readObjects(world, type, target)) as RolledOut[]) {
    const path = targetPath(type, target, object.metadata.name);
    lines.push(...(await actOn(object, { action, type, path }, world)));
  }
  return told(lines);
}

async function actOn(
  object: RolledOut,
  { action, type, path }: { action: RolloutAction; type: DiscoveredType; path: string },
  world: KubectlWorld,
): Promise<string[]> {
  const name = `${qualified(type)}/${object.metadata.name}`;
  const patch = (body: unknown, contentType: string = patchForms.merge) =>
    sendChange(world, { method: "PATCH", path, body, contentType });
  switch (action) {
    case "status":
      return [statusLine(type.kind, object)];
    case "history":
      return [name, ...historyLines(await revisionsOf(type.kind, object, world))];
    case "restart": {
      if (object.spec?.paused === true)
        throw new UnusableCommand(`can't restart paused deployment (run rollout resume first)`);
      const annotations = { [restartedAnnotation]: formatTimestamp(world.clock.nowMs()) };
      await patch({ spec: { template: { metadata: { annotations } } } });
      return [`${name} restarted`];
    }
    case "undo": {
      if (object.spec?.paused === true)
        throw new UnusableCommand(`you cannot rollback a paused deployment; resume it first with rollout resume`);
      const previous = (await revisionsOf(type.kind, object, world)).at(-2);
      if (previous === undefined) throw new UnusableCommand("no rollout history found: there is no previous revision");
      await patch([{ op: "replace", path: "/spec/template", value: previous.template }], patchForms.json);
      return [`${name} rolled back`];
    }
    case "pause":
    case "resume": {
      const pauses = action === "pause";
      if (type.kind !== "Deployment") throw new UnusableCommand(`only a Deployment can be paused, not a ${type.kind}`);
      if ((object.spec?.paused ?? false) === pauses)
        throw new UnusableCommand(`${name} is ${pauses ? "already paused" : "not paused"}`);
      await patch({ spec: { paused: pauses ? true : null } });
      return [`${name} ${action}d`];
    }
  }
}

interface Revision {
  readonly number: number;
  readonly cause: string;
  readonly template: unknown;
}

function historyLines(revisions: readonly Revision[]): string[] {
  return textTable(
    ["REVISION", "CHANGE-CAUSE"],
    revisions.map(({ number, cause }) => [String(number), cause]),
  );
}

/** The stored revisions of a workload, oldest first. @throws ApiError */
async function revisionsOf(kind: string, owner: ApiObject, world: KubectlWorld): Promise<Revision[]> {
  const type = kind === "Deployment" ? replicaSets : controllerRevisions;
  const { items } = (await call(world, collectionPath(type, owner.metadata.namespace))) as { items: ApiObject[] };
  return items
    .filter((each) => controllerOf(each)?.uid === owner.metadata.uid)
    .map((each) => ({
      cause: each.metadata.annotations?.[changeCauseAnnotation] ?? "<none>",
      ...(kind === "Deployment" ? ofReplicaSet(each as ReplicaSet) : ofControllerRevision(each as ControllerRevision)),
    }))
    .toSorted((left, right) => left.number - right.number);
}

function ofReplicaSet({ metadata, spec }: ReplicaSet): Pick<Revision, "number" | "template"> {
  const template = spec?.template as PodTemplateSpec | undefined;
  const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return {
    number: Number(metadata.annotations?.[revisionAnnotation] ?? 0),
    template: { ...template, metadata: { ...template?.metadata, labels } },
  };
}

/** The data of a revision is a patch that replaces the template. */
function ofControllerRevision({ revision, data }: ControllerRevision): Pick<Revision, "number" | "template"> {
  const { spec } = data as { spec?: { template?: Record<string, unknown> } };
  const { $patch: _, ...template } = spec?.template ?? {};
  return { number: Number(revision), template };
}

/**
 * The sentence of `kubectl rollout status`, from kubectl's rollout_status.go.
 * @throws UnusableCommand
 */
function statusLine(kind: string, object: ApiObject): string {
  if (kind === "Deployment") return deploymentLine(object as Deployment);
  return kind === "DaemonSet" ? daemonSetLine(object as DaemonSet) : statefulSetLine(object as StatefulSet);
}

function isObserved({
  metadata,
  status,
}: ApiObject & { status?: { observedGeneration?: number | undefined } | undefined }): boolean {
  return (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
}

function deploymentLine(deployment: Deployment): string {
  const { name } = deployment.metadata;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions } = deployment.status ?? {};
  const desired = deployment.spec?.replicas ?? 1;
  const waiting = `Waiting for deployment "${name}" rollout to finish:`;
  if (!isObserved(deployment)) return "Waiting for deployment spec update to be observed...";
  if (findCondition(conditions, "Progressing")?.reason === "ProgressDeadlineExceeded")
    throw new UnusableCommand(`deployment "${name}" exceeded its progress deadline`);
  if (updatedReplicas < desired)
    return `${waiting} ${updatedReplicas} out of ${desired} new replicas have been updated...`;
  if (replicas > updatedReplicas)
    return `${waiting} ${replicas - updatedReplicas} old replicas are pending termination...`;
  if (availableReplicas < updatedReplicas)
    return `${waiting} ${availableReplicas} of ${updatedReplicas} updated replicas are available...`;
  return `deployment "${name}" successfully rolled out`;
}

function daemonSetLine(set: DaemonSet): string {
  const { name } = set.metadata;
  const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = set.status ?? {};
  const waiting = `Waiting for daemon set "${name}" rollout to finish:`;
  if (!isObserved(set)) return "Waiting for daemon set spec update to be observed...";
  if (updatedNumberScheduled < desiredNumberScheduled)
    return `${waiting} ${updatedNumberScheduled} out of ${desiredNumberScheduled} new pods have been updated...`;
  if (numberAvailable < desiredNumberScheduled)
    return `${waiting} ${numberAvailable} of ${desiredNumberScheduled} updated pods are available...`;
  return `daemon set "${name}" successfully rolled out`;
}

function statefulSetLine(set: StatefulSet): string {
  const {
    readyReplicas = 0,
    updatedReplicas = 0,
    currentReplicas = 0,
    updateRevision,
    currentRevision,
  } = set.status ?? {};
  const desired = set.spec?.replicas ?? 1;
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  if (!isObserved(set)) return "Waiting for statefulset spec update to be observed...";
  if (readyReplicas < desired) return `Waiting for ${desired - readyReplicas} pods to be ready...`;
  if (partition > 0 && updatedReplicas < desired - partition)
    return `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${desired - partition} new pods have been updated...`;
  if (partition > 0) return `partitioned roll out complete: ${updatedReplicas} new pods have been updated...`;
  if (updateRevision !== currentRevision)
    return `waiting for statefulset rolling update to complete ${updatedReplicas} pods at revision ${updateRevision}...`;
  return `statefulset rolling update complete ${currentReplicas} pods at revision ${currentRevision}...`;
}

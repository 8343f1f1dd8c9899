import {
  type ApiObject,
  controllerOf,
  type Deployment,
  deployments,
  formatKey,
  isPodTerminal,
  type Pod,
  type ReplicaSet,
  replicaSets,
  replicationControllers,
  type ResourceType,
  type StatefulSet,
  statefulSets,
} from "@kintsugi/api";
import type { ObservedObjects, Owner, RebalanceWorld } from "./world.ts";

/** Groups the objects of the API by owners. */
export function observeWorld(objects: ObservedObjects): RebalanceWorld {
  const byOwner = new Map<string, Pod[]>();
  const live = objects.pods.filter((pod) => !isPodTerminal(pod));
  for (const pod of live) {
    const uid = controllerOf(pod)?.uid;
    if (uid === undefined) continue;
    const owned = byOwner.get(uid);
    if (owned === undefined) byOwner.set(uid, [pod]);
    else owned.push(pod);
  }
  const deploymentsByUid = new Map(objects.deployments.map((each) => [each.metadata.uid, each]));
  // A set without pods, which each rollout leaves behind, has no pods to move.
  const withPods = <T extends ApiObject>(all: readonly T[]) =>
    all.filter(({ metadata }) => byOwner.has(metadata.uid ?? ""));
  const owners = [
    ...withPods(objects.replicaSets).map((set) =>
      ownerOf(replicaSets, set, rolloutOf(deploymentsByUid.get(controllerOf(set)?.uid), set)),
    ),
    ...withPods(objects.replicationControllers).map((each) => ownerOf(replicationControllers, each, undefined)),
    ...withPods(objects.statefulSets).map((set) => ownerOf(statefulSets, set, rolloutOfStatefulSet(set))),
  ];
  return { ...objects, pods: live, owners, podsOf: (uid) => byOwner.get(uid) ?? [] };
}

interface Counted extends ApiObject {
  spec?: { replicas?: number | undefined } | undefined;
  status?: { observedGeneration?: number | undefined } | undefined;
}

function ownerOf<T extends Counted>(type: ResourceType<T>, object: T, rollout: string | undefined): Owner {
  const { namespace = "", name = "", uid = "" } = object.metadata;
  return {
    type: type as ResourceType<ApiObject>,
    object,
    title: `${type.kind} ${formatKey({ namespace, name })}`,
    uid,
    namespace,
    replicas: object.spec?.replicas ?? 1,
    isStateful: type.kind === statefulSets.kind,
    rollout: isObserved(object) ? rollout : "its newest spec has not been processed",
  };
}

function isObserved({ metadata, status }: Counted): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/**
 * A rollout soon removes the pods of a Deployment's older set, and creates the pods of the newest
 * set.
 */
function rolloutOf(deployment: Deployment | undefined, set: ReplicaSet): string | undefined {
  if (deployment === undefined) return undefined;
  const { name = "" } = deployment.metadata;
  if (!isObserved(deployment)) return `the newest spec of ${deployments.kind} ${name} has not been processed`;
  const replicas = deployment.spec?.replicas ?? 1;
  const { updatedReplicas = 0, replicas: all = 0 } = deployment.status ?? {};
  if (updatedReplicas === replicas && all === replicas && set.spec?.replicas === replicas) return undefined;
  return `a rollout of ${deployments.kind} ${name} is in progress`;
}

function rolloutOfStatefulSet({ status }: StatefulSet): string | undefined {
  const { currentRevision = "", updateRevision = "" } = status ?? {};
  return currentRevision === updateRevision ? undefined : "its rollout is in progress";
}

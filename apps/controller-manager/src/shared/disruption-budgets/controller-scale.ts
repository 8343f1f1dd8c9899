import {
  type Deployment,
  deployments,
  type OwnerReference,
  type ReplicaSet,
  replicaSets,
  type ReplicationController,
  replicationControllers,
  type StatefulSet,
  statefulSets,
} from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { findController, type Informers } from "@kintsugi/controller";
import { groupOf } from "../scale/group-of.ts";

/** The controller that sets the number of the pods, and the number. */
export interface ControllerScale {
  uid: string;
  replicas: number;
}

type Copy<T extends Scaled> = Pick<Informer<T>, "find">;
type Scaled = ReplicaSet | Deployment | StatefulSet | ReplicationController;

/** The caches of the controllers of pods; undefined for a kind that is not cached. */
export interface ScaleSources {
  replicaSets?: Copy<ReplicaSet> | undefined;
  deployments?: Copy<Deployment> | undefined;
  statefulSets?: Copy<StatefulSet> | undefined;
  replicationControllers?: Copy<ReplicationController> | undefined;
}

export function scaleSources(informers: Informers): ScaleSources {
  return {
    replicaSets: informers.find(replicaSets),
    deployments: informers.find(deployments),
    statefulSets: informers.find(statefulSets),
    replicationControllers: informers.find(replicationControllers),
  };
}

/**
 * Finds the scale of a pod's controller in the caches by the rule of upstream's disruption
 * controller: pods of a set that a Deployment controls count for the Deployment, whichever of its
 * sets they belong to. During a rollout, the sizes of two sets together exceed the wanted number. A
 * set whose Deployment is not known counts by itself.
 */
export function findKnownScale(
  sources: ScaleSources,
  controller: OwnerReference,
  namespace: string,
): ControllerScale | undefined {
  const set = copyOf(sources, controller)?.find({ namespace, name: controller.name });
  if (set === undefined || set.metadata.uid !== controller.uid) return undefined;
  return scaleOf((sources.deployments && findController(set, deployments, sources.deployments)) ?? set);
}

/** A kind of the same name in another group is a different kind. */
function copyOf(sources: ScaleSources, { apiVersion, kind }: OwnerReference): Copy<Scaled> | undefined {
  const group = groupOf(apiVersion);
  if (kind === replicationControllers.kind && group === "") return sources.replicationControllers;
  if (kind === statefulSets.kind && group === "apps") return sources.statefulSets;
  // Upstream still accepts the former group of ReplicaSets.
  if (kind === replicaSets.kind && ["apps", "extensions"].includes(group)) return sources.replicaSets;
  return undefined;
}

function scaleOf({ metadata, spec }: Scaled): ControllerScale {
  return { uid: metadata.uid ?? "", replicas: spec?.replicas ?? 1 };
}

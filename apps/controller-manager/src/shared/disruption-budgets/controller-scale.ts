import { type Deployment, deployments, type OwnerReference, type ReplicaSet, type StatefulSet } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { findController } from "@kintsugi/controller";

/** The controller that sets the number of its pods, and the number. */
interface ControllerScale {
  uid: string;
  replicas: number;
}

/** Finds the scale of a pod's controller; undefined where none is known. */
export type FindScale = (controller: OwnerReference, namespace: string) => ControllerScale | undefined;

export interface ScaleSources {
  replicaSets: Pick<Informer<ReplicaSet>, "find"> | undefined;
  /** Each undefined where no copy is kept. */
  deployments: Pick<Informer<Deployment>, "find"> | undefined;
  statefulSets: Pick<Informer<StatefulSet>, "find"> | undefined;
}

/**
 * The rule is that of upstream's disruption controller: pods of a set that a Deployment controls
 * count by the Deployment, whichever of its sets they belong to; while a rollout has two, their
 * sizes together are more than the wanted number. A set whose Deployment is not known counts by
 * itself.
 */
export function scaleFinder(sources: ScaleSources): FindScale {
  return ({ kind, name, uid }, namespace) => {
    const source =
      kind === "StatefulSet" ? sources.statefulSets : kind === "ReplicaSet" ? sources.replicaSets : undefined;
    const set = source?.find({ namespace, name });
    if (set === undefined || set.metadata.uid !== uid) return undefined;
    return scaleOf((sources.deployments && findController(set, deployments, sources.deployments)) ?? set);
  };
}

function scaleOf({ metadata, spec }: ReplicaSet | Deployment | StatefulSet): ControllerScale {
  return { uid: metadata.uid ?? "", replicas: spec?.replicas ?? 1 };
}

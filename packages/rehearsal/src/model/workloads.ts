import {
  type ApiObject,
  controllerOf,
  type Deployment,
  deployments,
  daemonSets,
  jobs,
  type Pod,
  type PodTemplateSpec,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kintsugi/api";
import { lostOwnerAnnotation } from "./plain-object.ts";

/** The name of a workload in reports: "shop/deployment/web". */
type WorkloadName = string;

/** A workload: the outermost owner of pods that is in a rehearsal, or a pod without an owner. */
export interface RehearsedWorkload {
  readonly name: WorkloadName;
  readonly namespace: string;
  readonly kind: string;
  readonly uid: string;
  readonly template: PodTemplateSpec | undefined;
  /**
   * An owner that is not in a rehearsal, "Cluster postgres", which may or may not replace the pods.
   */
  readonly unmodelledOwner?: string;
}

/** Ownership is two levels deep, as in Deployment over ReplicaSet; a deeper chain is a cycle. */
const ownersDeepMax = 8;

/** The kinds that create pods and are in a rehearsal. */
export const workloadTypes = [
  deployments,
  statefulSets,
  daemonSets,
  replicaSets,
  replicationControllers,
  jobs,
] as const;

/** Finds the workload of each pod by its owners. */
export class WorkloadIndex {
  readonly #owners = new Map<string, ApiObject>();
  readonly #byUid = new Map<string, RehearsedWorkload>();

  constructor(objects: ReadonlyMap<string, readonly ApiObject[]>) {
    for (const type of workloadTypes)
      for (const object of objects.get(type.resource) ?? [])
        this.#owners.set(object.metadata.uid ?? "", { ...object, kind: type.kind });
  }

  /** Adds an owner that was made in a run: the new ReplicaSet of a Deployment. */
  add(object: ApiObject): void {
    this.#owners.set(object.metadata.uid ?? "", object);
  }

  of(pod: Pod): RehearsedWorkload {
    return this.#outermost({ ...pod, kind: "Pod" });
  }

  /** The workload of an owner of pods; undefined if it is unknown. */
  ofOwner(uid: string): RehearsedWorkload | undefined {
    const owner = this.#owners.get(uid);
    return owner && this.#outermost(owner);
  }

  #outermost(inner: ApiObject): RehearsedWorkload {
    let owner = inner;
    const passed = new Set<ApiObject>();
    for (let depth = 0; depth < ownersDeepMax; depth++) {
      const reference = controllerOf(owner);
      const next = reference === undefined ? undefined : this.#owners.get(reference.uid);
      passed.add(owner);
      if (next === undefined || passed.has(next)) break;
      owner = next;
    }
    const { uid = "" } = owner.metadata;
    const known = this.#byUid.get(uid);
    if (known !== undefined) return known;
    const workload = workloadOf(owner);
    this.#byUid.set(uid, workload);
    return workload;
  }
}

function workloadOf(owner: ApiObject): RehearsedWorkload {
  const { namespace = "", name = "", uid = "" } = owner.metadata;
  const { kind = "" } = owner;
  const controller = controllerOf(owner);
  const foreign =
    owner.metadata.annotations?.[lostOwnerAnnotation] ?? (controller && `${controller.kind} ${controller.name}`);
  const { template } = (owner as Deployment).spec ?? {};
  return {
    name: `${namespace}/${kind.toLowerCase()}/${name}`,
    namespace,
    kind,
    uid,
    template: kind === "Pod" ? (owner as { spec?: PodTemplateSpec["spec"] }) : template,
    ...(foreign === undefined ? {} : { unmodelledOwner: foreign }),
  };
}

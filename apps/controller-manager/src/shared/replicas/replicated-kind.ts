import { type ApiObject, type ReplicaSet, type ReplicaSetStatus, replicaSets, type ResourceType } from "@kintsugi/api";

/**
 * A kind whose objects maintain a number of equal pods. Its objects are planned as ReplicaSets, as
 * upstream does with ReplicationControllers, so that all such kinds share one controller.
 */
export interface ReplicatedKind<T extends ApiObject = ApiObject> {
  readonly type: ResourceType<T>;
  /** The object as a ReplicaSet with the same metadata. */
  asSet(object: T): ReplicaSet;
  /** The object with this status, without the fields that its kind lacks. */
  withStatus(object: T, status: ReplicaSetStatus): T;
}

export const replicaSetAsItIs: ReplicatedKind<ReplicaSet> = {
  type: replicaSets,
  asSet: (set) => set,
  withStatus: (set, status) => ({ ...set, status }),
};

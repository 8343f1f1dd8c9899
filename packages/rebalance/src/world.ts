import type {
  ApiObject,
  CSINode,
  Deployment,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceType,
  StatefulSet,
  StorageClass,
  VolumeAttachment,
} from "@kintsugi/api";

/** The objects from which a plan is made. */
export interface ObservedObjects {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CSINode[];
  readonly attachments: readonly VolumeAttachment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly replicationControllers: readonly ReplicationController[];
  readonly statefulSets: readonly StatefulSet[];
  readonly deployments: readonly Deployment[];
}

/** The controller of some pods, of any kind. */
export interface Owner {
  readonly type: ResourceType<ApiObject>;
  readonly object: ApiObject;
  /** "ReplicaSet default/web". */
  readonly title: string;
  readonly uid: string;
  readonly namespace: string;
  readonly replicas: number;
  /**
   * Pods of a StatefulSet keep their names, and the next pod is created when the last pod no longer
   * exists.
   */
  readonly isStateful: boolean;
  /** The remaining part of a rollout; undefined without a rollout. */
  readonly rollout: string | undefined;
}

export interface RebalanceWorld extends Pick<
  ObservedObjects,
  "nodes" | "pods" | "namespaces" | "budgets" | "claims" | "volumes" | "storageClasses" | "csiNodes" | "attachments"
> {
  readonly owners: readonly Owner[];
  /** The pods of the owner with the UID, except ended pods. */
  readonly podsOf: (ownerUid: string) => readonly Pod[];
}

export interface RebalanceOptions {
  /** Only pods of this namespace move; "" for all. */
  readonly namespace: string;
  /** Pods of StatefulSets move too, without an annotation that requests it. */
  readonly includeStateful: boolean;
  /** The new node's score has to be higher by at least this amount. */
  readonly scoreMargin: number;
  /** Time for which nodes and pods have to be unchanged. */
  readonly settleMs: number;
  /** The least time between two moves of one owner. */
  readonly cooldownMs: number;
  /** A replacement that is not Ready after this time ends the owner's moves. */
  readonly readyWithinMs: number;
}

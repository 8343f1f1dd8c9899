import type {
  CronJob,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Event,
  HorizontalPodAutoscaler,
  Job,
  Lease,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  Service,
  StatefulSet,
  CSINode,
  StorageClass,
  TimerProfile,
  VolumeAttachment,
  VolumeSnapshot,
} from "@kintsugi/api";

/** The kinds of objects on which explanations are based, by their plural names. */
export interface KindsRead {
  pods: Pod;
  nodes: Node;
  leases: Lease;
  events: Event;
  namespaces: Namespace;
  services: Service;
  endpointslices: EndpointSlice;
  persistentvolumeclaims: PersistentVolumeClaim;
  persistentvolumes: PersistentVolume;
  storageclasses: StorageClass;
  csinodes: CSINode;
  volumeattachments: VolumeAttachment;
  resourceclaims: ResourceClaim;
  volumesnapshots: VolumeSnapshot;
  poddisruptionbudgets: PodDisruptionBudget;
  deployments: Deployment;
  replicasets: ReplicaSet;
  replicationcontrollers: ReplicationController;
  statefulsets: StatefulSet;
  daemonsets: DaemonSet;
  jobs: Job;
  cronjobs: CronJob;
  horizontalpodautoscalers: HorizontalPodAutoscaler;
}

/** The objects that were read. A list is absent if it was not needed, or could not be read. */
export type Objects = { readonly [Kind in keyof KindsRead]?: readonly KindsRead[Kind][] };

export interface World {
  readonly objects: Objects;
  /** The pods of all namespaces were read, so that the room on each node is known. */
  readonly hasAllPods?: boolean;
  /** The known timers of the cluster: the timers of its profile. */
  readonly timers: TimerProfile;
  readonly nowMs: number;
}

export function listOf<K extends keyof KindsRead>({ objects }: World, kind: K): readonly KindsRead[K][] {
  return objects[kind] ?? [];
}

/** Finds an object by its name; `namespace` is "" for cluster-scoped kinds. */
export function findIn<K extends keyof KindsRead>(
  world: World,
  kind: K,
  { namespace = "", name }: { namespace?: string | undefined; name: string },
): KindsRead[K] | undefined {
  return listOf(world, kind).find(
    ({ metadata }) => metadata?.name === name && (metadata.namespace ?? "") === namespace,
  );
}

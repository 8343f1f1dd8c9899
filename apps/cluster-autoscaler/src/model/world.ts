import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DaemonSet,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StorageClass,
  VolumeAttachment,
} from "@kintsugi/api";
import type { NodeGroup } from "@kintsugi/cloud";

/** The cluster and its cloud, as they were read at one time. */
export interface World {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly daemonSets: readonly DaemonSet[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly classes: readonly StorageClass[];
  readonly csiDrivers: readonly CSIDriver[];
  readonly csiNodes: readonly CSINode[];
  readonly capacities: readonly CSIStorageCapacity[];
  readonly attachments: readonly VolumeAttachment[];
  readonly groups: readonly NodeGroup[];
  /** Provider IDs of all machines of the cloud. */
  readonly instances: ReadonlySet<string>;
}

/** State that outlasts one inspection. After a restart it is empty, which only causes delays. */
export interface Memory {
  /** The time at which each node became unneeded, by name. */
  readonly unneededSinceMs: ReadonlyMap<string, number>;
  /** The time at which each machine ceased to be a ready node, by provider ID. */
  readonly unreadySinceMs: ReadonlyMap<string, number>;
  readonly groups: ReadonlyMap<string, GroupBackoff>;
  /** The last ready node of each group, by the group's name; it outlives the group's machines. */
  readonly samples: ReadonlyMap<string, Node>;
  readonly lastScaleUpMs: number | undefined;
  readonly lastFailureMs: number | undefined;
}

export interface GroupBackoff {
  readonly failures: number;
  readonly untilMs: number;
}

export const emptyMemory: Memory = {
  unneededSinceMs: new Map(),
  unreadySinceMs: new Map(),
  groups: new Map(),
  samples: new Map(),
  lastScaleUpMs: undefined,
  lastFailureMs: undefined,
};

/** Returns the group to which the node's machine belongs. */
export function groupOfNode(groups: readonly NodeGroup[], { spec }: Node): NodeGroup | undefined {
  const id = spec?.providerID ?? "";
  return id === "" ? undefined : groups.find(({ machines }) => machines.includes(id));
}

export function isReady({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

/** Keeps the scheduler from placing pods on a node that the autoscaler has chosen to remove. */
export const toBeDeletedKey = "ToBeDeletedByClusterAutoscaler";

export function isLeaving({ spec }: Node): boolean {
  return (spec?.taints ?? []).some(({ key }) => key === toBeDeletedKey);
}

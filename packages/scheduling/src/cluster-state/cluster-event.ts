import type {
  AllocationResult,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DeviceClass,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  ResourceClaim,
  ResourceSlice,
  StorageClass,
  VolumeAttachment,
} from "@kintsugi/api";
import type { PodInfo } from "./pod-info.ts";

/** A change in the cluster that may make an unschedulable pod schedulable. */
export type ClusterEvent =
  | { is: "NodeAdd"; node: Node }
  | { is: "NodeUpdate"; node: Node; before: Node; changed: NodeChanges }
  | { is: "NodeDelete"; node: Node }
  /** A pod was bound. */
  | { is: "AssignedPodAdd"; pod: PodInfo }
  | { is: "AssignedPodUpdate"; pod: PodInfo; before: PodInfo }
  /** A pod was removed from its node, or ended. */
  | { is: "AssignedPodDelete"; pod: PodInfo; nodeName: string }
  | { is: "PersistentVolumeClaimAdd" | "PersistentVolumeClaimUpdate"; claim: PersistentVolumeClaim }
  | { is: "PersistentVolumeAdd" | "PersistentVolumeUpdate"; volume: PersistentVolume }
  | { is: "StorageClassAdd" | "StorageClassUpdate"; storageClass: StorageClass }
  | { is: "CSINodeAdd" | "CSINodeUpdate"; csiNode: CSINode }
  | { is: "CSIDriverUpdate"; driver: CSIDriver }
  | { is: "CSIStorageCapacityAdd" | "CSIStorageCapacityUpdate"; capacity: CSIStorageCapacity }
  /** A volume was detached from its node. */
  | { is: "VolumeAttachmentDelete"; attachment: VolumeAttachment }
  | { is: "ResourceClaimAdd"; claim: ResourceClaim }
  /** `freed`: the allocation that the claim no longer has. */
  | { is: "ResourceClaimUpdate"; claim: ResourceClaim; freed: AllocationResult | undefined }
  | { is: "ResourceClaimDelete"; claim: ResourceClaim; freed: AllocationResult | undefined }
  | { is: "DeviceClassAdd" | "DeviceClassUpdate"; deviceClass: DeviceClass }
  | { is: "ResourceSliceAdd" | "ResourceSliceUpdate" | "ResourceSliceDelete"; slice: ResourceSlice };

/** The changed parts of a node on which the placement of pods depends. */
export interface NodeChanges {
  readonly allocatable: boolean;
  readonly labels: boolean;
  readonly taints: boolean;
  /** The node became schedulable or unschedulable. */
  readonly cordon: boolean;
}

/** Returns the event's label in the metric scheduler_queue_incoming_pods_total. */
export function eventLabel(event: ClusterEvent): string {
  return event.is;
}

export function nodeChanges(node: Node, before: Node): NodeChanges {
  return {
    allocatable: differ(node.status?.allocatable, before.status?.allocatable),
    labels: differ(node.metadata.labels, before.metadata.labels),
    taints: differ(node.spec?.taints, before.spec?.taints),
    cordon: (node.spec?.unschedulable ?? false) !== (before.spec?.unschedulable ?? false),
  };
}

export function hasChanges(changes: NodeChanges): boolean {
  return changes.allocatable || changes.labels || changes.taints || changes.cordon;
}

function differ(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) !== JSON.stringify(b ?? null);
}

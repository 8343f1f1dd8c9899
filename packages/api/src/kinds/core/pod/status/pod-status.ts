import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import {
  atomicList,
  atomicListMergedBy,
  int64,
  keyedList,
  map,
  oneOf,
  quantity,
  setList,
  text,
  time,
} from "../../../../schema/types.ts";
import { conditionStatus } from "../../../../schema/words.ts";
import { ContainerStatus } from "./container-status.ts";
import { ResourceRequirements } from "../spec/resources.ts";

export const PodCondition = object(
  "io.k8s.api.core.v1.PodCondition",
  "PodCondition describes one aspect of a pod's state.",
  () => ({
    type: required(1, text, "Type of the condition, such as PodScheduled, Initialized, ContainersReady or Ready."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastProbeTime: field(3, time, "Time of the last check of the condition."),
    lastTransitionTime: field(4, time, "Time at which the condition's status last changed."),
    reason: field(5, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(6, text, "Human-readable details of the condition's last transition."),
    observedGeneration: field(7, int64, "Generation of the pod that the condition describes."),
  }),
);
export type PodCondition = z.infer<typeof PodCondition>;

export const HostIP = object("io.k8s.api.core.v1.HostIP", "HostIP is one IP address of the pod's node.", () => ({
  ip: required(1, text, "IP address of the node."),
}));
export type HostIP = z.infer<typeof HostIP>;

export const PodIP = object("io.k8s.api.core.v1.PodIP", "PodIP is one IP address of the pod.", () => ({
  ip: required(1, text, "IP address of the pod."),
}));
export type PodIP = z.infer<typeof PodIP>;

export const PodResourceClaimStatus = object(
  "io.k8s.api.core.v1.PodResourceClaimStatus",
  "PodResourceClaimStatus names the ResourceClaim for an entry in the pod's resourceClaims.",
  () => ({
    name: required(1, text, "Name of the entry."),
    resourceClaimName: field(2, text, "Name of the ResourceClaim. Unset if the entry does not need a claim."),
  }),
);
export type PodResourceClaimStatus = z.infer<typeof PodResourceClaimStatus>;

export const ContainerExtendedResourceRequest = object(
  "io.k8s.api.core.v1.ContainerExtendedResourceRequest",
  "ContainerExtendedResourceRequest maps an extended resource of a container to a request in a resource claim.",
  () => ({
    containerName: required(1, text, "Name of the container that requests the extended resource."),
    resourceName: required(2, text, "Name of the extended resource."),
    requestName: required(3, text, "Name of the request in the claim that serves the resource."),
  }),
);
export type ContainerExtendedResourceRequest = z.infer<typeof ContainerExtendedResourceRequest>;

export const PodExtendedResourceClaimStatus = object(
  "io.k8s.api.core.v1.PodExtendedResourceClaimStatus",
  "PodExtendedResourceClaimStatus names the resource claim that serves the pod's extended resources.",
  () => ({
    requestMappings: required(
      1,
      atomicList(ContainerExtendedResourceRequest),
      "Mapping from extended resources of containers to requests in the claim.",
    ),
    resourceClaimName: required(2, text, "Name of the ResourceClaim that serves the extended resources."),
  }),
);
export type PodExtendedResourceClaimStatus = z.infer<typeof PodExtendedResourceClaimStatus>;

export const NodeAllocatableResourceClaimStatus = object(
  "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus",
  "NodeAllocatableResourceClaimStatus reports the node resources that a resource claim uses.",
  () => ({
    containers: field(undefined, setList(text), "Names of the pod's containers that use the claim."),
    resourceClaimName: required(undefined, text, "Name of the ResourceClaim."),
    resources: required(undefined, map(quantity), "Amounts of node resources that the claim uses."),
  }),
);
export type NodeAllocatableResourceClaimStatus = z.infer<typeof NodeAllocatableResourceClaimStatus>;

export const PodStatus = object(
  "io.k8s.api.core.v1.PodStatus",
  "Observed state of a pod, written by its kubelet. The state may be out of date if the node is unreachable.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    phase: field(
      1,
      oneOf("Pending", "Running", "Succeeded", "Failed", "Unknown"),
      "Phase of the pod, a summary of its state: Pending, Running, Succeeded, Failed or Unknown.",
    ),
    conditions: field(2, keyedList(PodCondition, ["type"]), "Observed conditions of the pod, one of each type."),
    message: field(3, text, "Human-readable reason for the pod's state."),
    reason: field(4, text, "Reason for the pod's state, one CamelCase word such as Evicted."),
    hostIP: field(5, text, "Primary IP address of the pod's node."),
    podIP: field(6, text, "Primary IP address of the pod. Empty until an address is allocated."),
    startTime: field(7, time, "Time at which the kubelet acknowledged the pod, before the kubelet pulled any image."),
    containerStatuses: field(8, atomicList(ContainerStatus), "Status of each container."),
    qosClass: field(
      9,
      oneOf("Guaranteed", "Burstable", "BestEffort"),
      "Quality-of-service class, which depends on requests and limits: Guaranteed, Burstable or BestEffort.",
    ),
    initContainerStatuses: field(10, atomicList(ContainerStatus), "Status of each init container."),
    nominatedNodeName: field(
      11,
      text,
      "Name of the node on which the scheduler expects to place the pod after preemption.",
    ),
    podIPs: field(
      12,
      keyedList(PodIP, ["ip"]),
      "IP addresses of the pod, at most one per IP family. The first address equals podIP.",
    ),
    ephemeralContainerStatuses: field(13, atomicList(ContainerStatus), "Status of each ephemeral container."),
    resize: field(14, text, "Deprecated. The conditions PodResizePending and PodResizeInProgress report a resize."),
    resourceClaimStatuses: field(
      15,
      keyedList(PodResourceClaimStatus, ["name"], { patchStrategy: "merge,retainKeys" }),
      "Names of the ResourceClaims for the entries in the pod's resourceClaims.",
    ),
    hostIPs: field(
      16,
      atomicListMergedBy(HostIP, "ip"),
      "IP addresses of the pod's node. The first address equals hostIP.",
    ),
    observedGeneration: field(17, int64, "Generation of the pod that the status describes."),
    extendedResourceClaimStatus: field(
      18,
      PodExtendedResourceClaimStatus,
      "Resource claim that serves the pod's extended resources.",
    ),
    allocatedResources: field(19, map(quantity), "Resources that the node has reserved for the pod as a whole."),
    resources: field(20, ResourceRequirements, "Requests and limits that the node has applied to the pod as a whole."),
    nodeAllocatableResourceClaimStatuses: field(
      undefined,
      atomicList(NodeAllocatableResourceClaimStatus),
      "Node resources that each resource claim uses.",
    ),
  }),
);
export type PodStatus = z.infer<typeof PodStatus>;

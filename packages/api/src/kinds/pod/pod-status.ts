import type { z } from "zod";
import { field, object, required } from "../../schema/fields.ts";
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
} from "../../schema/types.ts";
import { conditionStatus } from "../../schema/words.ts";
import { ContainerStatus } from "./container-status.ts";
import { ResourceRequirements } from "./resources.ts";

export const PodCondition = object("io.k8s.api.core.v1.PodCondition", {
  type: required(1, text),
  status: required(2, conditionStatus),
  lastProbeTime: field(3, time),
  lastTransitionTime: field(4, time),
  reason: field(5, text),
  message: field(6, text),
  observedGeneration: field(7, int64),
});
export type PodCondition = z.infer<typeof PodCondition>;

export const HostIP = object("io.k8s.api.core.v1.HostIP", {
  ip: required(1, text),
});
export type HostIP = z.infer<typeof HostIP>;

export const PodIP = object("io.k8s.api.core.v1.PodIP", {
  ip: required(1, text),
});
export type PodIP = z.infer<typeof PodIP>;

export const PodResourceClaimStatus = object("io.k8s.api.core.v1.PodResourceClaimStatus", {
  name: required(1, text),
  resourceClaimName: field(2, text),
});
export type PodResourceClaimStatus = z.infer<typeof PodResourceClaimStatus>;

export const ContainerExtendedResourceRequest = object("io.k8s.api.core.v1.ContainerExtendedResourceRequest", {
  containerName: required(1, text),
  resourceName: required(2, text),
  requestName: required(3, text),
});
export type ContainerExtendedResourceRequest = z.infer<typeof ContainerExtendedResourceRequest>;

export const PodExtendedResourceClaimStatus = object("io.k8s.api.core.v1.PodExtendedResourceClaimStatus", {
  requestMappings: required(1, atomicList(ContainerExtendedResourceRequest)),
  resourceClaimName: required(2, text),
});
export type PodExtendedResourceClaimStatus = z.infer<typeof PodExtendedResourceClaimStatus>;

export const NodeAllocatableResourceClaimStatus = object("io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus", {
  containers: field(undefined, setList(text)),
  resourceClaimName: required(undefined, text),
  resources: required(undefined, map(quantity)),
});
export type NodeAllocatableResourceClaimStatus = z.infer<typeof NodeAllocatableResourceClaimStatus>;

export const PodStatus = object("io.k8s.api.core.v1.PodStatus", {
  phase: field(1, oneOf("Pending", "Running", "Succeeded", "Failed", "Unknown")),
  conditions: field(2, keyedList(PodCondition, ["type"])),
  message: field(3, text),
  reason: field(4, text),
  hostIP: field(5, text),
  podIP: field(6, text),
  startTime: field(7, time),
  containerStatuses: field(8, atomicList(ContainerStatus)),
  qosClass: field(9, oneOf("Guaranteed", "Burstable", "BestEffort")),
  initContainerStatuses: field(10, atomicList(ContainerStatus)),
  nominatedNodeName: field(11, text),
  podIPs: field(12, keyedList(PodIP, ["ip"])),
  ephemeralContainerStatuses: field(13, atomicList(ContainerStatus)),
  resize: field(14, text),
  resourceClaimStatuses: field(15, keyedList(PodResourceClaimStatus, ["name"], { patchStrategy: "merge,retainKeys" })),
  hostIPs: field(16, atomicListMergedBy(HostIP, "ip")),
  observedGeneration: field(17, int64),
  extendedResourceClaimStatus: field(18, PodExtendedResourceClaimStatus),
  allocatedResources: field(19, map(quantity)),
  resources: field(20, ResourceRequirements),
  nodeAllocatableResourceClaimStatuses: field(undefined, atomicList(NodeAllocatableResourceClaimStatus)),
});
export type PodStatus = z.infer<typeof PodStatus>;

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

export const PodCondition = object("io.k8s.api.core.v1.PodCondition", "One aspect of a pod's state.", () => ({
  type: required(1, text, "Which aspect: PodScheduled, Initialized, ContainersReady, Ready…"),
  status: required(2, conditionStatus, "True, False or Unknown."),
  lastProbeTime: field(3, time, "When it was last looked at."),
  lastTransitionTime: field(4, time, "When the status last changed."),
  reason: field(5, text, "Why, in one word."),
  message: field(6, text, "Why, in a sentence."),
  observedGeneration: field(7, int64, "Which generation of the pod was looked at."),
}));
export type PodCondition = z.infer<typeof PodCondition>;

export const HostIP = object("io.k8s.api.core.v1.HostIP", "An address of the pod's node.", () => ({
  ip: required(1, text),
}));
export type HostIP = z.infer<typeof HostIP>;

export const PodIP = object("io.k8s.api.core.v1.PodIP", "An address of the pod.", () => ({
  ip: required(1, text),
}));
export type PodIP = z.infer<typeof PodIP>;

export const PodResourceClaimStatus = object(
  "io.k8s.api.core.v1.PodResourceClaimStatus",
  "Which claim stands behind one of the pod's names for claims.",
  () => ({
    name: required(1, text),
    resourceClaimName: field(2, text),
  }),
);
export type PodResourceClaimStatus = z.infer<typeof PodResourceClaimStatus>;

export const ContainerExtendedResourceRequest = object(
  "io.k8s.api.core.v1.ContainerExtendedResourceRequest",
  "Which device request stands behind a container's resource.",
  () => ({
    containerName: required(1, text),
    resourceName: required(2, text),
    requestName: required(3, text),
  }),
);
export type ContainerExtendedResourceRequest = z.infer<typeof ContainerExtendedResourceRequest>;

export const PodExtendedResourceClaimStatus = object(
  "io.k8s.api.core.v1.PodExtendedResourceClaimStatus",
  "The claim made for resources that devices back.",
  () => ({
    requestMappings: required(1, atomicList(ContainerExtendedResourceRequest)),
    resourceClaimName: required(2, text),
  }),
);
export type PodExtendedResourceClaimStatus = z.infer<typeof PodExtendedResourceClaimStatus>;

export const NodeAllocatableResourceClaimStatus = object(
  "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus",
  "Resources of the node that a claim takes.",
  () => ({
    containers: field(undefined, setList(text)),
    resourceClaimName: required(undefined, text),
    resources: required(undefined, map(quantity)),
  }),
);
export type NodeAllocatableResourceClaimStatus = z.infer<typeof NodeAllocatableResourceClaimStatus>;

export const PodStatus = object("io.k8s.api.core.v1.PodStatus", "How a pod is, as its node reports.", () => ({
  phase: field(
    1,
    oneOf("Pending", "Running", "Succeeded", "Failed", "Unknown"),
    "Pending, Running, Succeeded, Failed or Unknown.",
  ),
  conditions: field(2, keyedList(PodCondition, ["type"]), "How it is, aspect by aspect."),
  message: field(3, text, "Why, in a sentence."),
  reason: field(4, text, "Why, in one word."),
  hostIP: field(5, text, "Its node's address."),
  podIP: field(6, text, "Its address."),
  startTime: field(7, time, "When its node took it up."),
  containerStatuses: field(8, atomicList(ContainerStatus), "How its containers are."),
  qosClass: field(9, oneOf("Guaranteed", "Burstable", "BestEffort"), "Guaranteed, Burstable or BestEffort."),
  initContainerStatuses: field(10, atomicList(ContainerStatus), "How its init containers are."),
  nominatedNodeName: field(11, text, "Where room is being made for it."),
  podIPs: field(12, keyedList(PodIP, ["ip"]), "Its addresses."),
  ephemeralContainerStatuses: field(13, atomicList(ContainerStatus), "How its ephemeral containers are."),
  resize: field(14, text, "No longer used."),
  resourceClaimStatuses: field(
    15,
    keyedList(PodResourceClaimStatus, ["name"], { patchStrategy: "merge,retainKeys" }),
    "Which claims stand behind its names for them.",
  ),
  hostIPs: field(16, atomicListMergedBy(HostIP, "ip"), "Its node's addresses."),
  observedGeneration: field(17, int64, "Which generation of the pod this is about."),
  extendedResourceClaimStatus: field(18, PodExtendedResourceClaimStatus),
  allocatedResources: field(19, map(quantity)),
  resources: field(20, ResourceRequirements),
  nodeAllocatableResourceClaimStatuses: field(undefined, atomicList(NodeAllocatableResourceClaimStatus)),
}));
export type PodStatus = z.infer<typeof PodStatus>;

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
  "A condition describes one aspect of a pod's state.",
  () => ({
    type: required(1, text, "The type names the aspect, such as PodScheduled, Initialized, ContainersReady or Ready."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    lastProbeTime: field(3, time, "The condition was last checked at this time."),
    lastTransitionTime: field(4, time, "The status of the condition last changed at this time."),
    reason: field(5, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(6, text, "A text for people gives the details of the last change of the condition."),
    observedGeneration: field(7, int64, "The condition was set for this generation of the pod."),
  }),
);
export type PodCondition = z.infer<typeof PodCondition>;

export const HostIP = object("io.k8s.api.core.v1.HostIP", "A HostIP is one address of the pod's node.", () => ({
  ip: required(1, text, "The node has this IP address."),
}));
export type HostIP = z.infer<typeof HostIP>;

export const PodIP = object("io.k8s.api.core.v1.PodIP", "A PodIP is one address of the pod.", () => ({
  ip: required(1, text, "The pod has this IP address."),
}));
export type PodIP = z.infer<typeof PodIP>;

export const PodResourceClaimStatus = object(
  "io.k8s.api.core.v1.PodResourceClaimStatus",
  "The status names the ResourceClaim behind an entry of the pod's resourceClaims.",
  () => ({
    name: required(1, text, "The status is about the entry with this name."),
    resourceClaimName: field(2, text, "The entry uses this ResourceClaim; an unset value means that none was needed."),
  }),
);
export type PodResourceClaimStatus = z.infer<typeof PodResourceClaimStatus>;

export const ContainerExtendedResourceRequest = object(
  "io.k8s.api.core.v1.ContainerExtendedResourceRequest",
  "The mapping links an extended resource of a container to a request of a resource claim.",
  () => ({
    containerName: required(1, text, "The extended resource is requested by this container."),
    resourceName: required(2, text, "The extended resource has this name."),
    requestName: required(3, text, "The claim serves the resource by this request."),
  }),
);
export type ContainerExtendedResourceRequest = z.infer<typeof ContainerExtendedResourceRequest>;

export const PodExtendedResourceClaimStatus = object(
  "io.k8s.api.core.v1.PodExtendedResourceClaimStatus",
  "The status names the resource claim that serves the pod's extended resources.",
  () => ({
    requestMappings: required(
      1,
      atomicList(ContainerExtendedResourceRequest),
      "Each entry links an extended resource of a container to a request of the claim.",
    ),
    resourceClaimName: required(2, text, "The extended resources are served by the ResourceClaim with this name."),
  }),
);
export type PodExtendedResourceClaimStatus = z.infer<typeof PodExtendedResourceClaimStatus>;

export const NodeAllocatableResourceClaimStatus = object(
  "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus",
  "The status reports the node resources that a resource claim uses.",
  () => ({
    containers: field(undefined, setList(text), "These containers of the pod use the claim."),
    resourceClaimName: required(undefined, text, "The status is about the ResourceClaim with this name."),
    resources: required(undefined, map(quantity), "The claim uses these amounts of node resources."),
  }),
);
export type NodeAllocatableResourceClaimStatus = z.infer<typeof NodeAllocatableResourceClaimStatus>;

export const PodStatus = object(
  "io.k8s.api.core.v1.PodStatus",
  "The status reports the state of a pod; its kubelet writes it, so it may be out of date if the node is unreachable.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    phase: field(
      1,
      oneOf("Pending", "Running", "Succeeded", "Failed", "Unknown"),
      "The phase sums up the pod's state as Pending, Running, Succeeded, Failed or Unknown.",
    ),
    conditions: field(
      2,
      keyedList(PodCondition, ["type"]),
      "Conditions describe the pod's current state, one aspect each.",
    ),
    message: field(3, text, "A text for people states why the pod is in this state."),
    reason: field(4, text, "One CamelCase word states why the pod is in this state, such as Evicted."),
    hostIP: field(5, text, "The pod's node has this primary IP address."),
    podIP: field(6, text, "The pod has this primary IP address; it is empty until one is allocated."),
    startTime: field(7, time, "The kubelet acknowledged the pod at this time, before it pulled any image."),
    containerStatuses: field(8, atomicList(ContainerStatus), "Each entry reports the state of one container."),
    qosClass: field(
      9,
      oneOf("Guaranteed", "Burstable", "BestEffort"),
      "The quality of service is Guaranteed, Burstable or BestEffort; it follows from the requests and limits.",
    ),
    initContainerStatuses: field(
      10,
      atomicList(ContainerStatus),
      "Each entry reports the state of one init container.",
    ),
    nominatedNodeName: field(
      11,
      text,
      "The scheduler expects to place the pod on this node once preempted pods have left it.",
    ),
    podIPs: field(
      12,
      keyedList(PodIP, ["ip"]),
      "The pod has these IP addresses, at most one each of IPv4 and IPv6; the first equals podIP.",
    ),
    ephemeralContainerStatuses: field(
      13,
      atomicList(ContainerStatus),
      "Each entry reports the state of one ephemeral container.",
    ),
    resize: field(
      14,
      text,
      "This field is deprecated; the conditions PodResizePending and PodResizeInProgress report a resize.",
    ),
    resourceClaimStatuses: field(
      15,
      keyedList(PodResourceClaimStatus, ["name"], { patchStrategy: "merge,retainKeys" }),
      "Each entry names the ResourceClaim behind one of the pod's resourceClaims.",
    ),
    hostIPs: field(
      16,
      atomicListMergedBy(HostIP, "ip"),
      "The pod's node has these IP addresses; the first equals hostIP.",
    ),
    observedGeneration: field(17, int64, "The kubelet had seen this generation of the pod when it wrote the status."),
    extendedResourceClaimStatus: field(
      18,
      PodExtendedResourceClaimStatus,
      "The status names the resource claim that serves the pod's extended resources.",
    ),
    allocatedResources: field(19, map(quantity), "The node has reserved these resources for the pod as a whole."),
    resources: field(20, ResourceRequirements, "The node has applied these requests and limits to the pod as a whole."),
    nodeAllocatableResourceClaimStatuses: field(
      undefined,
      atomicList(NodeAllocatableResourceClaimStatus),
      "Each entry reports the node resources that one resource claim uses.",
    ),
  }),
);
export type PodStatus = z.infer<typeof PodStatus>;

import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, int64, keyedList, map, oneOf, quantity, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { NodeConfigSource } from "./node-spec.ts";

export const NodeAddress = object("io.k8s.api.core.v1.NodeAddress", "One address of a node.", () => ({
  type: required(
    1,
    oneOf("Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS"),
    "Hostname, InternalIP, ExternalIP…",
  ),
  address: required(2, text, "The address."),
}));
export type NodeAddress = z.infer<typeof NodeAddress>;

export const NodeCondition = object(
  "io.k8s.api.core.v1.NodeCondition",
  "One aspect of a node's state, as its kubelet last reported it.",
  () => ({
    type: required(1, text, "Which aspect: Ready, MemoryPressure, DiskPressure, PIDPressure…"),
    status: required(2, conditionStatus, "True, False or Unknown."),
    lastHeartbeatTime: field(3, time, "When it was last looked at."),
    lastTransitionTime: field(4, time, "When the status last changed."),
    reason: field(5, text, "Why, in one word."),
    message: field(6, text, "Why, in a sentence."),
  }),
);
export type NodeCondition = z.infer<typeof NodeCondition>;

export const NodeConfigStatus = object(
  "io.k8s.api.core.v1.NodeConfigStatus",
  "Which settings a kubelet uses. No longer used.",
  () => ({
    assigned: field(1, NodeConfigSource),
    active: field(2, NodeConfigSource),
    lastKnownGood: field(3, NodeConfigSource),
    error: field(4, text),
  }),
);
export type NodeConfigStatus = z.infer<typeof NodeConfigStatus>;

export const DaemonEndpoint = object(
  "io.k8s.api.core.v1.DaemonEndpoint",
  "A port that a node's service listens on.",
  () => ({
    Port: required(1, int32, "The port."),
  }),
);
export type DaemonEndpoint = z.infer<typeof DaemonEndpoint>;

export const NodeDaemonEndpoints = object(
  "io.k8s.api.core.v1.NodeDaemonEndpoints",
  "Where a node's own services listen.",
  () => ({
    kubeletEndpoint: field(1, DaemonEndpoint, "Where the kubelet listens."),
  }),
);
export type NodeDaemonEndpoints = z.infer<typeof NodeDaemonEndpoints>;

export const NodeFeatures = object(
  "io.k8s.api.core.v1.NodeFeatures",
  "What a node's container runtime can do for all its handlers.",
  () => ({
    supplementalGroupsPolicy: field(1, bool),
  }),
);
export type NodeFeatures = z.infer<typeof NodeFeatures>;

export const ContainerImage = object("io.k8s.api.core.v1.ContainerImage", "An image that lies on a node.", () => ({
  names: field(1, atomicList(text), "The image's names."),
  sizeBytes: field(2, int64, "How large it is."),
}));
export type ContainerImage = z.infer<typeof ContainerImage>;

export const NodeSwapStatus = object("io.k8s.api.core.v1.NodeSwapStatus", "How much a node can swap.", () => ({
  capacity: field(1, int64),
}));
export type NodeSwapStatus = z.infer<typeof NodeSwapStatus>;

export const NodeSystemInfo = object(
  "io.k8s.api.core.v1.NodeSystemInfo",
  "What a node is and runs: its identity, kernel, runtime and kubelet.",
  () => ({
    machineID: required(1, text, "Identity of the installed system."),
    systemUUID: required(2, text, "Identity of the machine."),
    bootID: required(3, text, "Changes with every boot."),
    kernelVersion: required(4, text, "Version of the kernel."),
    osImage: required(5, text, "Name of the operating system."),
    containerRuntimeVersion: required(6, text, "Name and version of the container runtime."),
    kubeletVersion: required(7, text, "Version of the kubelet."),
    kubeProxyVersion: required(8, text, "No longer used."),
    operatingSystem: required(9, text, "linux or windows."),
    architecture: required(10, text, "Such as amd64."),
    swap: field(11, NodeSwapStatus),
  }),
);
export type NodeSystemInfo = z.infer<typeof NodeSystemInfo>;

export const NodeRuntimeHandlerFeatures = object(
  "io.k8s.api.core.v1.NodeRuntimeHandlerFeatures",
  "What one handler of a node's container runtime can do.",
  () => ({
    recursiveReadOnlyMounts: field(1, bool),
    userNamespaces: field(2, bool),
  }),
);
export type NodeRuntimeHandlerFeatures = z.infer<typeof NodeRuntimeHandlerFeatures>;

export const NodeRuntimeHandler = object(
  "io.k8s.api.core.v1.NodeRuntimeHandler",
  "One handler of a node's container runtime.",
  () => ({
    name: field(1, text),
    features: field(2, NodeRuntimeHandlerFeatures),
  }),
);
export type NodeRuntimeHandler = z.infer<typeof NodeRuntimeHandler>;

export const AttachedVolume = object(
  "io.k8s.api.core.v1.AttachedVolume",
  "A volume that is attached to a node.",
  () => ({
    name: required(1, text),
    devicePath: required(2, text),
  }),
);
export type AttachedVolume = z.infer<typeof AttachedVolume>;

export const NodeStatus = object(
  "io.k8s.api.core.v1.NodeStatus",
  "What a node's kubelet reports: what it has, how it is, where it is.",
  () => ({
    capacity: field(1, map(quantity), "All the node has."),
    allocatable: field(2, map(quantity), "What of it is there for pods."),
    phase: field(3, text, "No longer used."),
    conditions: field(4, keyedList(NodeCondition, ["type"]), "How it is."),
    addresses: field(5, keyedList(NodeAddress, ["type"]), "Where it is reached."),
    daemonEndpoints: field(6, NodeDaemonEndpoints, "Where its kubelet listens."),
    nodeInfo: field(7, NodeSystemInfo, "What it is and runs."),
    images: field(8, atomicList(ContainerImage), "Images that lie on it."),
    volumesInUse: field(9, atomicList(text), "Volumes that pods on it use."),
    volumesAttached: field(10, atomicList(AttachedVolume), "Volumes that are attached to it."),
    config: field(11, NodeConfigStatus, "No longer used."),
    runtimeHandlers: field(12, atomicList(NodeRuntimeHandler), "What its container runtime offers."),
    features: field(13, NodeFeatures, "What its container runtime can do."),
    declaredFeatures: field(14, atomicList(text), "Features of Kubernetes that it declares."),
  }),
);
export type NodeStatus = z.infer<typeof NodeStatus>;

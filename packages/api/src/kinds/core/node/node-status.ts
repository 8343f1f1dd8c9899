import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, int64, keyedList, map, oneOf, quantity, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { NodeConfigSource } from "./node-spec.ts";

export const NodeAddress = object("io.k8s.api.core.v1.NodeAddress", "NodeAddress is one address of a node.", () => ({
  type: required(
    1,
    oneOf("Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS"),
    "Type of the address: Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.",
  ),
  address: required(2, text, "Address of the node, an IP address or a name."),
}));
export type NodeAddress = z.infer<typeof NodeAddress>;

export const NodeCondition = object(
  "io.k8s.api.core.v1.NodeCondition",
  "NodeCondition describes one aspect of a node's state.",
  () => ({
    type: required(
      1,
      text,
      "Type of the condition, such as Ready, MemoryPressure, DiskPressure, PIDPressure or NetworkUnavailable.",
    ),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastHeartbeatTime: field(3, time, "Time of the kubelet's last report of the condition."),
    lastTransitionTime: field(4, time, "Time at which the condition's status last changed."),
    reason: field(5, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(6, text, "Human-readable details of the condition's last transition."),
  }),
);
export type NodeCondition = z.infer<typeof NodeCondition>;

export const NodeConfigStatus = object(
  "io.k8s.api.core.v1.NodeConfigStatus",
  "Kubelet settings in use. Deprecated and no longer written.",
  () => ({
    assigned: field(1, NodeConfigSource, "Settings that the kubelet tries to use."),
    active: field(2, NodeConfigSource, "Settings that the kubelet uses."),
    lastKnownGood: field(
      3,
      NodeConfigSource,
      "Settings that the kubelet uses after an error in the assigned settings.",
    ),
    error: field(4, text, "Error in the assigned settings."),
  }),
);
export type NodeConfigStatus = z.infer<typeof NodeConfigStatus>;

export const DaemonEndpoint = object(
  "io.k8s.api.core.v1.DaemonEndpoint",
  "DaemonEndpoint is the port of a daemon on a node.",
  () => ({
    Port: required(1, int32, "Port number of the daemon."),
  }),
);
export type DaemonEndpoint = z.infer<typeof DaemonEndpoint>;

export const NodeDaemonEndpoints = object(
  "io.k8s.api.core.v1.NodeDaemonEndpoints",
  "NodeDaemonEndpoints lists the ports of the daemons on a node.",
  () => ({
    kubeletEndpoint: field(1, DaemonEndpoint, "Endpoint of the kubelet."),
  }),
);
export type NodeDaemonEndpoints = z.infer<typeof NodeDaemonEndpoints>;

export const NodeFeatures = object(
  "io.k8s.api.core.v1.NodeFeatures",
  "NodeFeatures lists features of the container runtime that do not depend on a handler.",
  () => ({
    supplementalGroupsPolicy: field(
      1,
      bool,
      "True if the runtime supports supplementalGroupsPolicy and reports the user of each container.",
    ),
  }),
);
export type NodeFeatures = z.infer<typeof NodeFeatures>;

export const ContainerImage = object(
  "io.k8s.api.core.v1.ContainerImage",
  "ContainerImage is an image that is stored on a node.",
  () => ({
    names: field(1, atomicList(text), "Names of the image, such as registry.example/app:1.0."),
    sizeBytes: field(2, int64, "Size of the image in bytes."),
  }),
);
export type ContainerImage = z.infer<typeof ContainerImage>;

export const NodeSwapStatus = object(
  "io.k8s.api.core.v1.NodeSwapStatus",
  "NodeSwapStatus describes the swap memory of a node.",
  () => ({
    capacity: field(1, int64, "Total swap memory in bytes."),
  }),
);
export type NodeSwapStatus = z.infer<typeof NodeSwapStatus>;

export const NodeSystemInfo = object(
  "io.k8s.api.core.v1.NodeSystemInfo",
  "NodeSystemInfo identifies a node's machine, kernel, container runtime and kubelet.",
  () => ({
    machineID: required(1, text, "ID of the operating system's installation, from /etc/machine-id."),
    systemUUID: required(2, text, "UUID of the machine, reported by the firmware."),
    bootID: required(3, text, "ID of the current boot, reported by the kernel."),
    kernelVersion: required(4, text, "Version of the kernel."),
    osImage: required(5, text, "Name of the operating system, from /etc/os-release."),
    containerRuntimeVersion: required(
      6,
      text,
      "Name and version of the container runtime, in the form <name>://<version>.",
    ),
    kubeletVersion: required(7, text, "Version of the kubelet."),
    kubeProxyVersion: required(8, text, "Deprecated and no longer used."),
    operatingSystem: required(9, text, "Operating system of the node: linux or windows."),
    architecture: required(10, text, "Processor architecture of the node, such as amd64."),
    swap: field(11, NodeSwapStatus, "Swap memory of the node."),
  }),
);
export type NodeSystemInfo = z.infer<typeof NodeSystemInfo>;

export const NodeRuntimeHandlerFeatures = object(
  "io.k8s.api.core.v1.NodeRuntimeHandlerFeatures",
  "NodeRuntimeHandlerFeatures lists the features of one handler of the container runtime.",
  () => ({
    recursiveReadOnlyMounts: field(1, bool, "True if the handler supports recursive read-only mounts."),
    userNamespaces: field(2, bool, "True if the handler supports user namespaces."),
  }),
);
export type NodeRuntimeHandlerFeatures = z.infer<typeof NodeRuntimeHandlerFeatures>;

export const NodeRuntimeHandler = object(
  "io.k8s.api.core.v1.NodeRuntimeHandler",
  "NodeRuntimeHandler is one handler of a node's container runtime.",
  () => ({
    name: field(1, text, "Name of the handler. An empty name means the default handler."),
    features: field(2, NodeRuntimeHandlerFeatures, "Features that the handler supports."),
  }),
);
export type NodeRuntimeHandler = z.infer<typeof NodeRuntimeHandler>;

export const AttachedVolume = object(
  "io.k8s.api.core.v1.AttachedVolume",
  "AttachedVolume is a volume that is attached to a node.",
  () => ({
    name: required(1, text, "Name of the attached volume."),
    devicePath: required(2, text, "Device path of the volume on the node."),
  }),
);
export type AttachedVolume = z.infer<typeof AttachedVolume>;

export const NodeStatus = object(
  "io.k8s.api.core.v1.NodeStatus",
  "Observed state of a node, written by its kubelet and by controllers.",
  () => ({
    capacity: field(1, map(quantity), "Total resources of the node, such as cpu and memory."),
    allocatable: field(
      2,
      map(quantity),
      "Resources available to pods: the capacity minus the resources reserved for the system.",
    ),
    phase: field(3, text, "Deprecated and no longer used."),
    conditions: field(
      4,
      keyedList(NodeCondition, ["type"]),
      "Conditions of the node's current state, one for each aspect.",
    ),
    addresses: field(
      5,
      keyedList(NodeAddress, ["type"]),
      "Addresses of the node, such as its hostname and IP addresses.",
    ),
    daemonEndpoints: field(6, NodeDaemonEndpoints, "Ports of the daemons on the node."),
    nodeInfo: field(7, NodeSystemInfo, "IDs of the machine and versions of its software."),
    images: field(8, atomicList(ContainerImage), "Container images that are stored on the node."),
    volumesInUse: field(9, atomicList(text), "Attachable volumes that pods on the node use."),
    volumesAttached: field(10, atomicList(AttachedVolume), "Volumes that are attached to the node."),
    config: field(11, NodeConfigStatus, "Deprecated and no longer used."),
    runtimeHandlers: field(12, atomicList(NodeRuntimeHandler), "Handlers of the container runtime."),
    features: field(13, NodeFeatures, "Features of the container runtime."),
    declaredFeatures: field(
      14,
      atomicList(text),
      "Features that the kubelet declares, which the scheduler may use to select nodes.",
    ),
  }),
);
export type NodeStatus = z.infer<typeof NodeStatus>;

import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, int64, keyedList, map, oneOf, quantity, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { NodeConfigSource } from "./node-spec.ts";

export const NodeAddress = object("io.k8s.api.core.v1.NodeAddress", "A NodeAddress is one address of a node.", () => ({
  type: required(
    1,
    oneOf("Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS"),
    "The type of the address is Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.",
  ),
  address: required(2, text, "The node is reached at this address."),
}));
export type NodeAddress = z.infer<typeof NodeAddress>;

export const NodeCondition = object(
  "io.k8s.api.core.v1.NodeCondition",
  "A condition describes one aspect of a node's state.",
  () => ({
    type: required(
      1,
      text,
      "The type names the aspect: Ready, MemoryPressure, DiskPressure, PIDPressure or NetworkUnavailable.",
    ),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    lastHeartbeatTime: field(3, time, "The kubelet last reported the condition at this time."),
    lastTransitionTime: field(4, time, "The status of the condition last changed at this time."),
    reason: field(5, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(6, text, "A text for people gives the details of the last change of the condition."),
  }),
);
export type NodeCondition = z.infer<typeof NodeCondition>;

export const NodeConfigStatus = object(
  "io.k8s.api.core.v1.NodeConfigStatus",
  "The status reports the kubelet settings in use; it is deprecated and no longer written.",
  () => ({
    assigned: field(1, NodeConfigSource, "The kubelet tries to use these settings."),
    active: field(2, NodeConfigSource, "The kubelet uses these settings."),
    lastKnownGood: field(
      3,
      NodeConfigSource,
      "The kubelet falls back to these settings after an error in the assigned ones.",
    ),
    error: field(4, text, "An error kept the kubelet from using the assigned settings."),
  }),
);
export type NodeConfigStatus = z.infer<typeof NodeConfigStatus>;

export const DaemonEndpoint = object(
  "io.k8s.api.core.v1.DaemonEndpoint",
  "A DaemonEndpoint describes the port of a daemon on a node.",
  () => ({
    Port: required(1, int32, "The daemon listens on this port number."),
  }),
);
export type DaemonEndpoint = z.infer<typeof DaemonEndpoint>;

export const NodeDaemonEndpoints = object(
  "io.k8s.api.core.v1.NodeDaemonEndpoints",
  "NodeDaemonEndpoints lists the ports of the daemons on a node.",
  () => ({
    kubeletEndpoint: field(1, DaemonEndpoint, "The kubelet listens at this endpoint."),
  }),
);
export type NodeDaemonEndpoints = z.infer<typeof NodeDaemonEndpoints>;

export const NodeFeatures = object(
  "io.k8s.api.core.v1.NodeFeatures",
  "NodeFeatures lists abilities of the container runtime that do not depend on a handler.",
  () => ({
    supplementalGroupsPolicy: field(
      1,
      bool,
      "The runtime supports supplementalGroupsPolicy and the user of a container when this is true.",
    ),
  }),
);
export type NodeFeatures = z.infer<typeof NodeFeatures>;

export const ContainerImage = object(
  "io.k8s.api.core.v1.ContainerImage",
  "A ContainerImage describes an image that is stored on a node.",
  () => ({
    names: field(1, atomicList(text), "The image is known by these names, such as registry.example/app:1.0."),
    sizeBytes: field(2, int64, "The image occupies this many bytes."),
  }),
);
export type ContainerImage = z.infer<typeof ContainerImage>;

export const NodeSwapStatus = object(
  "io.k8s.api.core.v1.NodeSwapStatus",
  "NodeSwapStatus describes the swap memory of a node.",
  () => ({
    capacity: field(1, int64, "The node has this many bytes of swap memory."),
  }),
);
export type NodeSwapStatus = z.infer<typeof NodeSwapStatus>;

export const NodeSystemInfo = object(
  "io.k8s.api.core.v1.NodeSystemInfo",
  "NodeSystemInfo identifies a node's machine, kernel, container runtime and kubelet.",
  () => ({
    machineID: required(1, text, "The operating system was installed with this ID, from /etc/machine-id."),
    systemUUID: required(2, text, "The firmware reports this UUID for the machine."),
    bootID: required(3, text, "The kernel reports this ID, which changes with every boot."),
    kernelVersion: required(4, text, "The node runs this version of the kernel."),
    osImage: required(5, text, "The operating system reports this name, from /etc/os-release."),
    containerRuntimeVersion: required(6, text, "The node runs this container runtime, in the form <name>://<version>."),
    kubeletVersion: required(7, text, "The node runs this version of the kubelet."),
    kubeProxyVersion: required(8, text, "This field is deprecated and no longer used."),
    operatingSystem: required(9, text, "The node runs this operating system, linux or windows."),
    architecture: required(10, text, "The node has this processor architecture, such as amd64."),
    swap: field(11, NodeSwapStatus, "The node has this much swap memory."),
  }),
);
export type NodeSystemInfo = z.infer<typeof NodeSystemInfo>;

export const NodeRuntimeHandlerFeatures = object(
  "io.k8s.api.core.v1.NodeRuntimeHandlerFeatures",
  "NodeRuntimeHandlerFeatures lists the abilities of one handler of the container runtime.",
  () => ({
    recursiveReadOnlyMounts: field(1, bool, "The handler supports recursive read-only mounts when this is true."),
    userNamespaces: field(2, bool, "The handler supports user namespaces when this is true."),
  }),
);
export type NodeRuntimeHandlerFeatures = z.infer<typeof NodeRuntimeHandlerFeatures>;

export const NodeRuntimeHandler = object(
  "io.k8s.api.core.v1.NodeRuntimeHandler",
  "A NodeRuntimeHandler describes one handler of a node's container runtime.",
  () => ({
    name: field(1, text, "The handler has this name; an empty name means the default handler."),
    features: field(2, NodeRuntimeHandlerFeatures, "The handler supports these features."),
  }),
);
export type NodeRuntimeHandler = z.infer<typeof NodeRuntimeHandler>;

export const AttachedVolume = object(
  "io.k8s.api.core.v1.AttachedVolume",
  "An AttachedVolume describes a volume that is attached to a node.",
  () => ({
    name: required(1, text, "The attached volume has this name."),
    devicePath: required(2, text, "The volume is available at this device path."),
  }),
);
export type AttachedVolume = z.infer<typeof AttachedVolume>;

export const NodeStatus = object(
  "io.k8s.api.core.v1.NodeStatus",
  "The status reports the state of a node; its kubelet and the controllers write it.",
  () => ({
    capacity: field(1, map(quantity), "The node has these total resources, such as cpu and memory."),
    allocatable: field(
      2,
      map(quantity),
      "Pods may use these resources; they are the capacity less what is reserved for the system.",
    ),
    phase: field(3, text, "This field is deprecated and no longer used."),
    conditions: field(
      4,
      keyedList(NodeCondition, ["type"]),
      "Conditions describe the node's current state, one aspect each.",
    ),
    addresses: field(5, keyedList(NodeAddress, ["type"]), "The node is reached at these addresses."),
    daemonEndpoints: field(6, NodeDaemonEndpoints, "Daemons on the node listen at these ports."),
    nodeInfo: field(7, NodeSystemInfo, "The node reports these IDs and versions of its software."),
    images: field(8, atomicList(ContainerImage), "These container images are stored on the node."),
    volumesInUse: field(9, atomicList(text), "Pods on the node use these attachable volumes."),
    volumesAttached: field(10, atomicList(AttachedVolume), "These volumes are attached to the node."),
    config: field(11, NodeConfigStatus, "This field is deprecated and no longer used."),
    runtimeHandlers: field(12, atomicList(NodeRuntimeHandler), "The container runtime offers these handlers."),
    features: field(13, NodeFeatures, "The container runtime has these abilities."),
    declaredFeatures: field(
      14,
      atomicList(text),
      "The kubelet declares these features, by which the scheduler may choose nodes.",
    ),
  }),
);
export type NodeStatus = z.infer<typeof NodeStatus>;

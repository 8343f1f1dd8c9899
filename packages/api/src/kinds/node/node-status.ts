import type { z } from "zod";
import { field, object, required } from "../../schema/fields.ts";
import { atomicList, bool, int32, int64, keyedList, map, oneOf, quantity, text, time } from "../../schema/types.ts";
import { conditionStatus } from "../../schema/words.ts";
import { NodeConfigSource } from "./node-spec.ts";

export const NodeAddress = object("io.k8s.api.core.v1.NodeAddress", {
  type: required(1, oneOf("Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS")),
  address: required(2, text),
});
export type NodeAddress = z.infer<typeof NodeAddress>;

export const NodeCondition = object("io.k8s.api.core.v1.NodeCondition", {
  type: required(1, text),
  status: required(2, conditionStatus),
  lastHeartbeatTime: field(3, time),
  lastTransitionTime: field(4, time),
  reason: field(5, text),
  message: field(6, text),
});
export type NodeCondition = z.infer<typeof NodeCondition>;

export const NodeConfigStatus = object("io.k8s.api.core.v1.NodeConfigStatus", {
  assigned: field(1, NodeConfigSource),
  active: field(2, NodeConfigSource),
  lastKnownGood: field(3, NodeConfigSource),
  error: field(4, text),
});
export type NodeConfigStatus = z.infer<typeof NodeConfigStatus>;

export const DaemonEndpoint = object("io.k8s.api.core.v1.DaemonEndpoint", {
  Port: required(1, int32),
});
export type DaemonEndpoint = z.infer<typeof DaemonEndpoint>;

export const NodeDaemonEndpoints = object("io.k8s.api.core.v1.NodeDaemonEndpoints", {
  kubeletEndpoint: field(1, DaemonEndpoint),
});
export type NodeDaemonEndpoints = z.infer<typeof NodeDaemonEndpoints>;

export const NodeFeatures = object("io.k8s.api.core.v1.NodeFeatures", {
  supplementalGroupsPolicy: field(1, bool),
});
export type NodeFeatures = z.infer<typeof NodeFeatures>;

export const ContainerImage = object("io.k8s.api.core.v1.ContainerImage", {
  names: field(1, atomicList(text)),
  sizeBytes: field(2, int64),
});
export type ContainerImage = z.infer<typeof ContainerImage>;

export const NodeSwapStatus = object("io.k8s.api.core.v1.NodeSwapStatus", {
  capacity: field(1, int64),
});
export type NodeSwapStatus = z.infer<typeof NodeSwapStatus>;

export const NodeSystemInfo = object("io.k8s.api.core.v1.NodeSystemInfo", {
  machineID: required(1, text),
  systemUUID: required(2, text),
  bootID: required(3, text),
  kernelVersion: required(4, text),
  osImage: required(5, text),
  containerRuntimeVersion: required(6, text),
  kubeletVersion: required(7, text),
  kubeProxyVersion: required(8, text),
  operatingSystem: required(9, text),
  architecture: required(10, text),
  swap: field(11, NodeSwapStatus),
});
export type NodeSystemInfo = z.infer<typeof NodeSystemInfo>;

export const NodeRuntimeHandlerFeatures = object("io.k8s.api.core.v1.NodeRuntimeHandlerFeatures", {
  recursiveReadOnlyMounts: field(1, bool),
  userNamespaces: field(2, bool),
});
export type NodeRuntimeHandlerFeatures = z.infer<typeof NodeRuntimeHandlerFeatures>;

export const NodeRuntimeHandler = object("io.k8s.api.core.v1.NodeRuntimeHandler", {
  name: field(1, text),
  features: field(2, NodeRuntimeHandlerFeatures),
});
export type NodeRuntimeHandler = z.infer<typeof NodeRuntimeHandler>;

export const AttachedVolume = object("io.k8s.api.core.v1.AttachedVolume", {
  name: required(1, text),
  devicePath: required(2, text),
});
export type AttachedVolume = z.infer<typeof AttachedVolume>;

export const NodeStatus = object("io.k8s.api.core.v1.NodeStatus", {
  capacity: field(1, map(quantity)),
  allocatable: field(2, map(quantity)),
  phase: field(3, text),
  conditions: field(4, keyedList(NodeCondition, ["type"])),
  addresses: field(5, keyedList(NodeAddress, ["type"])),
  daemonEndpoints: field(6, NodeDaemonEndpoints),
  nodeInfo: field(7, NodeSystemInfo),
  images: field(8, atomicList(ContainerImage)),
  volumesInUse: field(9, atomicList(text)),
  volumesAttached: field(10, atomicList(AttachedVolume)),
  config: field(11, NodeConfigStatus),
  runtimeHandlers: field(12, atomicList(NodeRuntimeHandler)),
  features: field(13, NodeFeatures),
  declaredFeatures: field(14, atomicList(text)),
});
export type NodeStatus = z.infer<typeof NodeStatus>;

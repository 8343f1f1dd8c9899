import type { z } from "zod";
import { field, object, required } from "../../schema/fields.ts";
import {
  atomicList,
  bool,
  int32,
  int64,
  keyedList,
  keyedListReplaced,
  map,
  quantity,
  text,
  time,
} from "../../schema/types.ts";
import { ResourceRequirements } from "./resources.ts";

export const ContainerStateWaiting = object("io.k8s.api.core.v1.ContainerStateWaiting", {
  reason: field(1, text),
  message: field(2, text),
});
export type ContainerStateWaiting = z.infer<typeof ContainerStateWaiting>;

export const ContainerStateRunning = object("io.k8s.api.core.v1.ContainerStateRunning", {
  startedAt: field(1, time),
});
export type ContainerStateRunning = z.infer<typeof ContainerStateRunning>;

export const ContainerStateTerminated = object("io.k8s.api.core.v1.ContainerStateTerminated", {
  exitCode: required(1, int32),
  signal: field(2, int32),
  reason: field(3, text),
  message: field(4, text),
  startedAt: field(5, time),
  finishedAt: field(6, time),
  containerID: field(7, text),
});
export type ContainerStateTerminated = z.infer<typeof ContainerStateTerminated>;

export const ContainerState = object("io.k8s.api.core.v1.ContainerState", {
  waiting: field(1, ContainerStateWaiting),
  running: field(2, ContainerStateRunning),
  terminated: field(3, ContainerStateTerminated),
});
export type ContainerState = z.infer<typeof ContainerState>;

export const ResourceHealth = object("io.k8s.api.core.v1.ResourceHealth", {
  resourceID: required(1, text),
  health: field(2, text),
  message: field(undefined, text),
});
export type ResourceHealth = z.infer<typeof ResourceHealth>;

export const ResourceStatus = object("io.k8s.api.core.v1.ResourceStatus", {
  name: required(1, text),
  resources: field(2, keyedListReplaced(ResourceHealth, ["resourceID"])),
});
export type ResourceStatus = z.infer<typeof ResourceStatus>;

export const LinuxContainerUser = object("io.k8s.api.core.v1.LinuxContainerUser", {
  uid: required(1, int64),
  gid: required(2, int64),
  supplementalGroups: field(3, atomicList(int64)),
});
export type LinuxContainerUser = z.infer<typeof LinuxContainerUser>;

export const ContainerUser = object("io.k8s.api.core.v1.ContainerUser", {
  linux: field(1, LinuxContainerUser),
});
export type ContainerUser = z.infer<typeof ContainerUser>;

export const ImageVolumeStatus = object("io.k8s.api.core.v1.ImageVolumeStatus", {
  imageRef: required(1, text),
});
export type ImageVolumeStatus = z.infer<typeof ImageVolumeStatus>;

export const VolumeStatus = object("io.k8s.api.core.v1.VolumeStatus", {
  image: field(1, ImageVolumeStatus),
});
export type VolumeStatus = z.infer<typeof VolumeStatus>;

export const VolumeMountStatus = object("io.k8s.api.core.v1.VolumeMountStatus", {
  name: required(1, text),
  mountPath: required(2, text),
  readOnly: field(3, bool),
  recursiveReadOnly: field(4, text),
  volumeStatus: field(5, VolumeStatus),
});
export type VolumeMountStatus = z.infer<typeof VolumeMountStatus>;

export const ContainerStatus = object("io.k8s.api.core.v1.ContainerStatus", {
  name: required(1, text),
  state: field(2, ContainerState),
  lastState: field(3, ContainerState),
  ready: required(4, bool),
  restartCount: required(5, int32),
  image: required(6, text),
  imageID: required(7, text),
  containerID: field(8, text),
  started: field(9, bool),
  allocatedResources: field(10, map(quantity)),
  resources: field(11, ResourceRequirements),
  volumeMounts: field(12, keyedList(VolumeMountStatus, ["mountPath"])),
  user: field(13, ContainerUser),
  allocatedResourcesStatus: field(14, keyedList(ResourceStatus, ["name"])),
  stopSignal: field(15, text),
});
export type ContainerStatus = z.infer<typeof ContainerStatus>;

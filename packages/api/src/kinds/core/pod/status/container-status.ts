import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
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
} from "../../../../schema/types.ts";
import { ResourceRequirements } from "../spec/resources.ts";

export const ContainerStateWaiting = object(
  "io.k8s.api.core.v1.ContainerStateWaiting",
  "ContainerStateWaiting describes a container that is not running, for example because its image is being pulled.",
  () => ({
    reason: field(1, text, "Reason for the wait, one CamelCase word such as ContainerCreating or CrashLoopBackOff."),
    message: field(2, text, "Human-readable reason for the wait."),
  }),
);
export type ContainerStateWaiting = z.infer<typeof ContainerStateWaiting>;

export const ContainerStateRunning = object(
  "io.k8s.api.core.v1.ContainerStateRunning",
  "ContainerStateRunning describes a running container.",
  () => ({
    startedAt: field(1, time, "Time at which the container started."),
  }),
);
export type ContainerStateRunning = z.infer<typeof ContainerStateRunning>;

export const ContainerStateTerminated = object(
  "io.k8s.api.core.v1.ContainerStateTerminated",
  "ContainerStateTerminated describes an exited container.",
  () => ({
    exitCode: required(1, int32, "Exit code of the container."),
    signal: field(2, int32, "Number of the signal that terminated the container."),
    reason: field(3, text, "Reason for the exit, one CamelCase word such as Completed, Error or OOMKilled."),
    message: field(4, text, "Termination message of the container."),
    startedAt: field(5, time, "Time at which the exited container started."),
    finishedAt: field(6, time, "Time at which the container exited."),
    containerID: field(7, text, "ID of the exited container, in the form <runtime>://<id>."),
  }),
);
export type ContainerStateTerminated = z.infer<typeof ContainerStateTerminated>;

export const ContainerState = object(
  "io.k8s.api.core.v1.ContainerState",
  "ContainerState is the state of a container: waiting, running or terminated. At most one field is set. If no field is set, the container is waiting.",
  () => ({
    waiting: field(1, ContainerStateWaiting, "Details of a waiting container."),
    running: field(2, ContainerStateRunning, "Details of a running container."),
    terminated: field(3, ContainerStateTerminated, "Details of an exited container."),
  }),
);
export type ContainerState = z.infer<typeof ContainerState>;

export const ResourceHealth = object(
  "io.k8s.api.core.v1.ResourceHealth",
  "ResourceHealth reports the health of one device.",
  () => ({
    resourceID: required(1, text, "ID of the device, unique among the devices of the resource."),
    health: field(2, text, "Health of the device: Healthy, Unhealthy or Unknown."),
    message: field(undefined, text, "Human-readable details of the health."),
  }),
);
export type ResourceHealth = z.infer<typeof ResourceHealth>;

export const ResourceStatus = object(
  "io.k8s.api.core.v1.ResourceStatus",
  "ResourceStatus reports the health of the devices that serve one resource of a container.",
  () => ({
    name: required(1, text, "Name of the resource in the container's requests, or claim:<claim>/<request>."),
    resources: field(2, keyedListReplaced(ResourceHealth, ["resourceID"]), "Health of each device."),
  }),
);
export type ResourceStatus = z.infer<typeof ResourceStatus>;

export const LinuxContainerUser = object(
  "io.k8s.api.core.v1.LinuxContainerUser",
  "LinuxContainerUser identifies the user of a container's first process on Linux.",
  () => ({
    uid: required(1, int64, "User ID with which the process started."),
    gid: required(2, int64, "Primary group ID with which the process started."),
    supplementalGroups: field(3, atomicList(int64), "Supplementary groups with which the process started."),
  }),
);
export type LinuxContainerUser = z.infer<typeof LinuxContainerUser>;

export const ContainerUser = object(
  "io.k8s.api.core.v1.ContainerUser",
  "ContainerUser identifies the user of a container's first process.",
  () => ({
    linux: field(1, LinuxContainerUser, "Linux user of the process."),
  }),
);
export type ContainerUser = z.infer<typeof ContainerUser>;

export const ImageVolumeStatus = object(
  "io.k8s.api.core.v1.ImageVolumeStatus",
  "ImageVolumeStatus reports the image of an image volume.",
  () => ({
    imageRef: required(1, text, "Reference of the image, including its digest."),
  }),
);
export type ImageVolumeStatus = z.infer<typeof ImageVolumeStatus>;

export const VolumeStatus = object(
  "io.k8s.api.core.v1.VolumeStatus",
  "VolumeStatus reports details of a mounted volume.",
  () => ({
    image: field(1, ImageVolumeStatus, "Image of the volume."),
  }),
);
export type VolumeStatus = z.infer<typeof VolumeStatus>;

export const VolumeMountStatus = object(
  "io.k8s.api.core.v1.VolumeMountStatus",
  "VolumeMountStatus reports one volume mount of a container.",
  () => ({
    name: required(1, text, "Name of the mounted volume."),
    mountPath: required(2, text, "Path of the mount."),
    readOnly: field(3, bool, "True if the mount is read-only."),
    recursiveReadOnly: field(4, text, "Read-only mode of the mounts below this mount: Disabled or Enabled."),
    volumeStatus: field(5, VolumeStatus, "Details of the volume."),
  }),
);
export type VolumeMountStatus = z.infer<typeof VolumeMountStatus>;

export const ContainerStatus = object(
  "io.k8s.api.core.v1.ContainerStatus",
  "ContainerStatus reports the state of one container.",
  () => ({
    name: required(1, text, "Name of the container."),
    state: field(2, ContainerState, "Current state of the container."),
    lastState: field(3, ContainerState, "State of the container at its last termination."),
    ready: required(4, bool, "True if the container is running and passes its readiness probe."),
    restartCount: required(5, int32, "Number of restarts of the container."),
    image: required(6, text, "Image of the container."),
    imageID: required(7, text, "ID of the container's image, usually a digest."),
    containerID: field(8, text, "ID of the container, in the form <runtime>://<id>."),
    started: field(9, bool, "True if the container has passed its startup probe and its postStart handler."),
    allocatedResources: field(10, map(quantity), "Resources that the node has reserved for the container."),
    resources: field(11, ResourceRequirements, "Requests and limits that the runtime has applied to the container."),
    volumeMounts: field(12, keyedList(VolumeMountStatus, ["mountPath"]), "Status of each volume mount."),
    user: field(13, ContainerUser, "User of the container's first process."),
    allocatedResourcesStatus: field(14, keyedList(ResourceStatus, ["name"]), "Health of the devices of each resource."),
    stopSignal: field(15, text, "Signal with which the runtime stops the container."),
  }),
);
export type ContainerStatus = z.infer<typeof ContainerStatus>;

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
  "The container is not running, for example because its image is being pulled.",
  () => ({
    reason: field(
      1,
      text,
      "One CamelCase word states why the container waits, such as ContainerCreating or CrashLoopBackOff.",
    ),
    message: field(2, text, "A text for people states why the container waits."),
  }),
);
export type ContainerStateWaiting = z.infer<typeof ContainerStateWaiting>;

export const ContainerStateRunning = object(
  "io.k8s.api.core.v1.ContainerStateRunning",
  "The container is running.",
  () => ({
    startedAt: field(1, time, "The container started at this time."),
  }),
);
export type ContainerStateRunning = z.infer<typeof ContainerStateRunning>;

export const ContainerStateTerminated = object(
  "io.k8s.api.core.v1.ContainerStateTerminated",
  "The container has terminated.",
  () => ({
    exitCode: required(1, int32, "The container terminated with this exit status."),
    signal: field(2, int32, "The container was terminated by this signal number."),
    reason: field(
      3,
      text,
      "One CamelCase word states why the container terminated, such as Completed, Error or OOMKilled.",
    ),
    message: field(4, text, "The container left this last message."),
    startedAt: field(5, time, "The last run of the container started at this time."),
    finishedAt: field(6, time, "The container terminated at this time."),
    containerID: field(7, text, "The terminated container has this ID, in the form <runtime>://<id>."),
  }),
);
export type ContainerStateTerminated = z.infer<typeof ContainerStateTerminated>;

export const ContainerState = object(
  "io.k8s.api.core.v1.ContainerState",
  "The state of a container is waiting, running or terminated; at most one field is set, and waiting is the default.",
  () => ({
    waiting: field(1, ContainerStateWaiting, "The container is waiting."),
    running: field(2, ContainerStateRunning, "The container is running."),
    terminated: field(3, ContainerStateTerminated, "The container has terminated."),
  }),
);
export type ContainerState = z.infer<typeof ContainerState>;

export const ResourceHealth = object(
  "io.k8s.api.core.v1.ResourceHealth",
  "ResourceHealth reports the health of one device.",
  () => ({
    resourceID: required(1, text, "The device has this ID, which is unique among those of its resource."),
    health: field(2, text, "The health of the device is Healthy, Unhealthy or Unknown."),
    message: field(undefined, text, "A text for people gives the details of the health."),
  }),
);
export type ResourceHealth = z.infer<typeof ResourceHealth>;

export const ResourceStatus = object(
  "io.k8s.api.core.v1.ResourceStatus",
  "ResourceStatus reports the health of the devices of one resource of a container.",
  () => ({
    name: required(
      1,
      text,
      "The resource has this name, in the form of the container's requests or claim:<claim>/<request>.",
    ),
    resources: field(
      2,
      keyedListReplaced(ResourceHealth, ["resourceID"]),
      "Each entry reports the health of one device.",
    ),
  }),
);
export type ResourceStatus = z.infer<typeof ResourceStatus>;

export const LinuxContainerUser = object(
  "io.k8s.api.core.v1.LinuxContainerUser",
  "LinuxContainerUser identifies the user of a container's first process on Linux.",
  () => ({
    uid: required(1, int64, "The process started with this user ID."),
    gid: required(2, int64, "The process started with this primary group ID."),
    supplementalGroups: field(3, atomicList(int64), "The process started with these supplementary groups."),
  }),
);
export type LinuxContainerUser = z.infer<typeof LinuxContainerUser>;

export const ContainerUser = object(
  "io.k8s.api.core.v1.ContainerUser",
  "ContainerUser identifies the user of a container's first process.",
  () => ({
    linux: field(1, LinuxContainerUser, "The process started as this user of Linux."),
  }),
);
export type ContainerUser = z.infer<typeof ContainerUser>;

export const ImageVolumeStatus = object(
  "io.k8s.api.core.v1.ImageVolumeStatus",
  "The status reports the image behind an image volume.",
  () => ({
    imageRef: required(1, text, "The volume was made from this image, including its digest."),
  }),
);
export type ImageVolumeStatus = z.infer<typeof ImageVolumeStatus>;

export const VolumeStatus = object(
  "io.k8s.api.core.v1.VolumeStatus",
  "The status reports details of a mounted volume.",
  () => ({
    image: field(1, ImageVolumeStatus, "The volume comes from this image."),
  }),
);
export type VolumeStatus = z.infer<typeof VolumeStatus>;

export const VolumeMountStatus = object(
  "io.k8s.api.core.v1.VolumeMountStatus",
  "The status reports one volume mount of a container.",
  () => ({
    name: required(1, text, "The status is about the mount of the volume with this name."),
    mountPath: required(2, text, "The volume is mounted at this path."),
    readOnly: field(3, bool, "The mount is read-only when this is true."),
    recursiveReadOnly: field(4, text, "The mounts below are read-only as well: Disabled or Enabled."),
    volumeStatus: field(5, VolumeStatus, "The status reports details of the volume."),
  }),
);
export type VolumeMountStatus = z.infer<typeof VolumeMountStatus>;

export const ContainerStatus = object(
  "io.k8s.api.core.v1.ContainerStatus",
  "The status reports the state of one container.",
  () => ({
    name: required(1, text, "The status is about the container with this name."),
    state: field(2, ContainerState, "The container is in this state now."),
    lastState: field(3, ContainerState, "The container was last terminated in this state."),
    ready: required(4, bool, "The container is running and passes its readiness probe when this is true."),
    restartCount: required(5, int32, "The container has been restarted this many times."),
    image: required(6, text, "The container runs this image."),
    imageID: required(7, text, "The container runs the image with this ID, usually a digest."),
    containerID: field(8, text, "The container has this ID, in the form <runtime>://<id>."),
    started: field(9, bool, "The container has passed its startup probe and its postStart handler when this is true."),
    allocatedResources: field(10, map(quantity), "The node has reserved these resources for the container."),
    resources: field(11, ResourceRequirements, "The runtime has applied these requests and limits to the container."),
    volumeMounts: field(12, keyedList(VolumeMountStatus, ["mountPath"]), "Each entry reports one volume mount."),
    user: field(13, ContainerUser, "The first process of the container runs as this user."),
    allocatedResourcesStatus: field(
      14,
      keyedList(ResourceStatus, ["name"]),
      "Each entry reports the health of the devices of one resource.",
    ),
    stopSignal: field(15, text, "The runtime stops the container with this signal."),
  }),
);
export type ContainerStatus = z.infer<typeof ContainerStatus>;

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
  "The container is not running yet, or not again.",
  () => ({
    reason: field(1, text, "Why, in one word: ContainerCreating, CrashLoopBackOff…"),
    message: field(2, text, "Why, in a sentence."),
  }),
);
export type ContainerStateWaiting = z.infer<typeof ContainerStateWaiting>;

export const ContainerStateRunning = object("io.k8s.api.core.v1.ContainerStateRunning", "The container runs.", () => ({
  startedAt: field(1, time, "Since when."),
}));
export type ContainerStateRunning = z.infer<typeof ContainerStateRunning>;

export const ContainerStateTerminated = object(
  "io.k8s.api.core.v1.ContainerStateTerminated",
  "The container has ended.",
  () => ({
    exitCode: required(1, int32, "With what it ended."),
    signal: field(2, int32, "By which signal."),
    reason: field(3, text, "Why, in one word: Completed, Error, OOMKilled…"),
    message: field(4, text, "Its last message."),
    startedAt: field(5, time, "When it started."),
    finishedAt: field(6, time, "When it ended."),
    containerID: field(7, text, "What its runtime called it."),
  }),
);
export type ContainerStateTerminated = z.infer<typeof ContainerStateTerminated>;

export const ContainerState = object(
  "io.k8s.api.core.v1.ContainerState",
  "Where in its life a container is. At most one is set.",
  () => ({
    waiting: field(1, ContainerStateWaiting, "Not running yet, or not again."),
    running: field(2, ContainerStateRunning, "Running."),
    terminated: field(3, ContainerStateTerminated, "Ended."),
  }),
);
export type ContainerState = z.infer<typeof ContainerState>;

export const ResourceHealth = object("io.k8s.api.core.v1.ResourceHealth", "Whether one device is healthy.", () => ({
  resourceID: required(1, text),
  health: field(2, text),
  message: field(undefined, text),
}));
export type ResourceHealth = z.infer<typeof ResourceHealth>;

export const ResourceStatus = object(
  "io.k8s.api.core.v1.ResourceStatus",
  "How the devices given to a container are.",
  () => ({
    name: required(1, text),
    resources: field(2, keyedListReplaced(ResourceHealth, ["resourceID"])),
  }),
);
export type ResourceStatus = z.infer<typeof ResourceStatus>;

export const LinuxContainerUser = object(
  "io.k8s.api.core.v1.LinuxContainerUser",
  "As whom a container's first process runs on Linux.",
  () => ({
    uid: required(1, int64),
    gid: required(2, int64),
    supplementalGroups: field(3, atomicList(int64)),
  }),
);
export type LinuxContainerUser = z.infer<typeof LinuxContainerUser>;

export const ContainerUser = object(
  "io.k8s.api.core.v1.ContainerUser",
  "As whom a container's first process runs.",
  () => ({
    linux: field(1, LinuxContainerUser),
  }),
);
export type ContainerUser = z.infer<typeof ContainerUser>;

export const ImageVolumeStatus = object(
  "io.k8s.api.core.v1.ImageVolumeStatus",
  "Which image a volume's files come from.",
  () => ({
    imageRef: required(1, text),
  }),
);
export type ImageVolumeStatus = z.infer<typeof ImageVolumeStatus>;

export const VolumeStatus = object("io.k8s.api.core.v1.VolumeStatus", "How a mounted volume is.", () => ({
  image: field(1, ImageVolumeStatus),
}));
export type VolumeStatus = z.infer<typeof VolumeStatus>;

export const VolumeMountStatus = object("io.k8s.api.core.v1.VolumeMountStatus", "How a volume is mounted.", () => ({
  name: required(1, text),
  mountPath: required(2, text),
  readOnly: field(3, bool),
  recursiveReadOnly: field(4, text),
  volumeStatus: field(5, VolumeStatus),
}));
export type VolumeMountStatus = z.infer<typeof VolumeMountStatus>;

export const ContainerStatus = object(
  "io.k8s.api.core.v1.ContainerStatus",
  "How a container is, as its node reports.",
  () => ({
    name: required(1, text, "Which container."),
    state: field(2, ContainerState, "Where in its life it is."),
    lastState: field(3, ContainerState, "How it ended the last time."),
    ready: required(4, bool, "Whether Services may lead to it."),
    restartCount: required(5, int32, "How often it was started again."),
    image: required(6, text, "The image it runs."),
    imageID: required(7, text, "Exactly which image."),
    containerID: field(8, text, "What its runtime calls it."),
    started: field(9, bool, "Whether it is past its startup probe."),
    allocatedResources: field(10, map(quantity), "What the node has set aside for it."),
    resources: field(11, ResourceRequirements, "What it has been given."),
    volumeMounts: field(12, keyedList(VolumeMountStatus, ["mountPath"])),
    user: field(13, ContainerUser),
    allocatedResourcesStatus: field(14, keyedList(ResourceStatus, ["name"])),
    stopSignal: field(15, text),
  }),
);
export type ContainerStatus = z.infer<typeof ContainerStatus>;

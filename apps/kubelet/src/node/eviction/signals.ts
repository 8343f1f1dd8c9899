import type { FilesystemSpace, MachineUsage } from "../../machine/kernel/machine.ts";

/** The signals by which pressure is measured (pkg/kubelet/eviction/api/types.go). */
export const evictionSignals = [
  "memory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "pid.available",
] as const;
export type EvictionSignal = (typeof evictionSignals)[number];

export type PressureCondition = "MemoryPressure" | "DiskPressure" | "PIDPressure";

/** The resource of pods that corresponds to a signal. */
export type StarvedResource = "memory" | "ephemeral-storage" | "inodes" | "pids";

export const conditionOf: Readonly<Record<EvictionSignal, PressureCondition>> = {
  "memory.available": "MemoryPressure",
  "nodefs.available": "DiskPressure",
  "nodefs.inodesFree": "DiskPressure",
  "imagefs.available": "DiskPressure",
  "imagefs.inodesFree": "DiskPressure",
  "pid.available": "PIDPressure",
};

export const resourceOf: Readonly<Record<EvictionSignal, StarvedResource>> = {
  "memory.available": "memory",
  "nodefs.available": "ephemeral-storage",
  "nodefs.inodesFree": "inodes",
  "imagefs.available": "ephemeral-storage",
  "imagefs.inodesFree": "inodes",
  "pid.available": "pids",
};

/** An amount in bytes, inodes or processes. */
interface SignalObservation {
  available: number;
  capacity: number;
}

/** A signal that could not be read is missing, and its thresholds are not met. */
export type Observations = Partial<Record<EvictionSignal, SignalObservation>>;

export interface ObservedNode {
  usage: MachineUsage;
  /** Undefined while the runtime has not reported the file system of its images. */
  imageFs: FilesystemSpace | undefined;
  memoryCapacityBytes: number;
}

/** makeSignalObservations (pkg/kubelet/eviction/helpers.go). */
export function observeSignals({ usage, imageFs, memoryCapacityBytes }: ObservedNode): Observations {
  const { rootFs, processes } = usage;
  return {
    "memory.available": { available: usage.memoryAvailableBytes, capacity: memoryCapacityBytes },
    ...filesystemSignals("nodefs", rootFs),
    ...(imageFs ? filesystemSignals("imagefs", imageFs) : {}),
    "pid.available": { available: processes.max - processes.running, capacity: processes.max },
  };
}

/** A file system without a fixed number of inodes (btrfs) reports 0, so inodes cannot run out. */
function filesystemSignals(name: "nodefs" | "imagefs", space: FilesystemSpace): Observations {
  return {
    [`${name}.available`]: { available: space.availableBytes, capacity: space.capacityBytes },
    ...(space.inodes > 0 ? { [`${name}.inodesFree`]: { available: space.inodesFree, capacity: space.inodes } } : {}),
  };
}

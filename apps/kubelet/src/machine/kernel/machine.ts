import type { InterfaceUsage } from "@kintsugi/cri";

/** The facts that a node reports about its machine. */
export interface Machine {
  /** Read once, at the start. */
  facts(): Promise<MachineFacts>;
  /** Returns the current usage. */
  usage(): Promise<MachineUsage>;
  /** Returns the machine's own resolver configuration; empty when the file does not exist. */
  resolvConf(): Promise<string>;
  /** The file system that holds a path; undefined when the path does not exist. */
  filesystem(path: string): Promise<FilesystemSpace | undefined>;
}

export interface MachineFacts {
  cpuMillicores: number;
  memoryBytes: number;
  ephemeralStorageBytes: number;
  cgroupVersion: 1 | 2;
  architecture: string;
  operatingSystem: string;
  kernelVersion: string;
  osImage: string;
  machineId: string;
  systemUuid: string;
  bootId: string;
}

export interface MachineUsage extends CgroupUsage {
  /**
   * The memory that could still be used: the lesser of the node's remaining limit and the machine's
   * free memory.
   */
  memoryAvailableBytes: number;
  /** The usage of all pods together; undefined while there are no pods. */
  pods: CgroupUsage | undefined;
  /** The file system of the kubelet's own directory. */
  rootFs: FilesystemSpace;
  processes: { running: number; max: number };
  /** The interfaces except the loopback. */
  interfaces: InterfaceUsage[];
}

export interface CgroupUsage {
  /** The processor time since the cgroup was created. */
  cpuNanoseconds: number;
  memoryUsageBytes: number;
  /** The memory in use, except what the kernel can reclaim immediately. */
  memoryWorkingSetBytes: number;
  memoryRssBytes: number;
  pageFaults: number;
  majorPageFaults: number;
}

export interface FilesystemSpace {
  /** Equal for two paths on one file system. */
  device: number;
  capacityBytes: number;
  /** The bytes that users other than root may still use. */
  availableBytes: number;
  inodes: number;
  inodesFree: number;
}

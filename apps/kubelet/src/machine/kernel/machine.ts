import type { InterfaceUsage } from "@kintsugi/cri";

/** What a node tells of the machine it is. */
export interface Machine {
  /** Read once, at the start. */
  facts(): Promise<MachineFacts>;
  /** What is used now. */
  usage(): Promise<MachineUsage>;
  /** What its own resolver is told; empty when there is no such file. */
  resolvConf(): Promise<string>;
  /** The file system that holds a path; undefined when the path is not there. */
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
   * What could still be used: the node's own limit and the machine's free memory, whichever is
   * less.
   */
  memoryAvailableBytes: number;
  /** What all pods use together; undefined while there are none. */
  pods: CgroupUsage | undefined;
  /** The file system of the kubelet's own directory. */
  rootFs: FilesystemSpace;
  processes: { running: number; max: number };
  /** Without the loopback. */
  interfaces: InterfaceUsage[];
}

export interface CgroupUsage {
  /** Since it was made. */
  cpuNanoseconds: number;
  memoryUsageBytes: number;
  /** Without what the kernel can take back at once. */
  memoryWorkingSetBytes: number;
  memoryRssBytes: number;
  pageFaults: number;
  majorPageFaults: number;
}

export interface FilesystemSpace {
  /** The same for two paths on one file system. */
  device: number;
  capacityBytes: number;
  /** To those who are not root. */
  availableBytes: number;
  inodes: number;
  inodesFree: number;
}

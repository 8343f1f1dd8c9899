import type { PodMetadata } from "./sandbox.ts";

export interface FilesystemUsage {
  timestampMs: number;
  mountpoint: string;
  usedBytes: number;
  inodesUsed: number;
}

/** The usage of a running container. A value that the runtime does not report is absent. */
export interface ProcessorAndMemoryUsage {
  timestampMs: number;
  /** The processor time since the start. */
  cpuUsageNanoseconds: number;
  /** The memory in use, without the memory that the kernel can reclaim immediately. */
  memoryWorkingSetBytes: number;
  memoryUsageBytes?: number;
  memoryRssBytes?: number;
  pageFaults?: number;
  majorPageFaults?: number;
}

export interface ContainerStats extends ProcessorAndMemoryUsage {
  containerId: string;
  name: string;
  labels: Record<string, string>;
  /** The bytes at the runtime's last measurement: containerd measures every 10 s. */
  writableLayerBytes: number;
  writableLayerInodes: number;
}

export interface PodSandboxStats extends ProcessorAndMemoryUsage {
  sandboxId: string;
  metadata: PodMetadata;
  labels: Record<string, string>;
  /** Absent for host network. */
  network?: NetworkUsage;
  processCount: number;
}

export interface NetworkUsage {
  timestampMs: number;
  default?: InterfaceUsage;
  /** The pod's other addresses. */
  interfaces: InterfaceUsage[];
}

export interface InterfaceUsage {
  name: string;
  rxBytes: number;
  rxErrors: number;
  txBytes: number;
  txErrors: number;
}

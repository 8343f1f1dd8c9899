import { formatTimestamp } from "@kintsugi/api";

// The answer of /stats/summary (kubelet/pkg/apis/stats/v1alpha1). Times are milliseconds of wall
// time, and RFC 3339 in JSON; unknown fields are omitted.

export interface Summary {
  node: NodeStats;
  pods: PodStats[];
}

interface NodeStats {
  nodeName: string;
  systemContainers: SystemContainerStats[];
  startTime: number;
  cpu: CpuStats;
  memory: MemoryStats;
  network?: NetworkStats;
  fs?: FsStats;
  runtime?: { imageFs?: FsStats; containerFs?: FsStats };
  rlimit?: { time: number; maxpid: number; curproc: number };
}

/** "pods": all pods together. */
interface SystemContainerStats {
  name: "pods";
  startTime: number;
  cpu: CpuStats;
  memory: MemoryStats;
}

export interface PodStats {
  podRef: { name: string; namespace: string; uid: string };
  startTime: number;
  containers: ContainerStats[];
  /** Absent where the runtime has not answered in time, like `memory`. */
  cpu?: CpuStats;
  memory?: MemoryStats;
  network?: NetworkStats;
  volume?: VolumeStats[];
  "ephemeral-storage"?: FsStats;
  process_stats?: { process_count: number };
}

export interface ContainerStats {
  name: string;
  startTime: number;
  cpu: CpuStats;
  memory: MemoryStats;
  rootfs?: FsStats;
  logs?: FsStats;
}

export interface CpuStats {
  time: number;
  /** The rate since the last request; absent the first time. */
  usageNanoCores?: number;
  usageCoreNanoSeconds: number;
}

export interface MemoryStats {
  time: number;
  availableBytes?: number;
  usageBytes?: number;
  workingSetBytes: number;
  rssBytes?: number;
  pageFaults?: number;
  majorPageFaults?: number;
}

/** The default interface, and all interfaces. */
export interface NetworkStats extends Partial<InterfaceStats> {
  time: number;
  interfaces: InterfaceStats[];
}

interface InterfaceStats {
  name: string;
  rxBytes: number;
  rxErrors: number;
  txBytes: number;
  txErrors: number;
}

export interface FsStats {
  time: number;
  availableBytes?: number;
  capacityBytes?: number;
  usedBytes: number;
  inodesFree?: number;
  inodes?: number;
  inodesUsed: number;
}

interface VolumeStats extends FsStats {
  name: string;
  /** The claim behind the volume. */
  pvcRef?: { readonly namespace: string; readonly name: string };
}

export function summaryJson(summary: Summary): string {
  return JSON.stringify(summary, (key, value: unknown) =>
    (key === "time" || key === "startTime") && typeof value === "number" ? formatTimestamp(value) : value,
  );
}

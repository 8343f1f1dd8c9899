import type {
  Container,
  ContainerStats as RuntimeContainerStats,
  FilesystemUsage,
  InterfaceUsage,
  NetworkUsage,
  PodSandbox,
  PodSandboxStats,
  ProcessorAndMemoryUsage,
} from "@kintsugi/cri";
import type { FileUsage } from "../../machine/files/files.ts";
import type { CgroupUsage, FilesystemSpace, MachineUsage } from "../../machine/kernel/machine.ts";
import { labelNames } from "../../model/labels.ts";
import type { PodDiskUsage } from "./disk-usages.ts";
import type { ContainerStats, CpuStats, FsStats, MemoryStats, NetworkStats, PodStats, Summary } from "./stats-api.ts";

/** The inputs of a summary, read at about the same time. */
export interface ObservedStats {
  nodeName: string;
  nowMs: number;
  startedAtMs: number;
  usage: MachineUsage;
  images: { usage: FilesystemUsage | undefined; space: FilesystemSpace | undefined };
  /** Ready sandboxes, one of each pod. */
  sandboxes: readonly PodSandbox[];
  /**
   * Running containers. Ended containers do not use resources, although runtimes still report some
   * of them.
   */
  containers: readonly Container[];
  /** The figures of all containers, including ended containers. */
  containerStats: readonly RuntimeContainerStats[];
  /**
   * Empty where the runtime is too old to report them. A pod's figures are then the sums of its
   * containers.
   */
  sandboxStats: readonly PodSandboxStats[];
  /** Sandboxes for which the runtime has not answered in time, so that their usage is unknown. */
  unanswered: ReadonlySet<string>;
  disks: ReadonlyMap<string, PodDiskUsage>;
}

/**
 * Processor time in cores since the counter was last read, times 10^9; undefined the first time.
 */
export type RateOf = (key: string, counter: { nanoseconds: number; atMs: number }) => number | undefined;

/**
 * Returns the usage of the node and its pods in the form of upstream's summary API
 * (server/stats/summary.go, stats/cri_stats_provider.go).
 */
export function assembleSummary(observed: ObservedStats, rateOf: RateOf): Summary {
  const { usage, nowMs, images, nodeName } = observed;
  const time = nowMs;
  const startTime = observed.startedAtMs;
  const nodeUsage = processorAndMemory(usage, nowMs);
  const [first] = usage.interfaces;
  const imageFs = images.space && fsStats(images.space, time, images.usage ?? { usedBytes: 0, inodesUsed: 0 });
  return {
    node: {
      nodeName,
      systemContainers: usage.pods
        ? [{ name: "pods", startTime, ...usageStats("pods", processorAndMemory(usage.pods, nowMs), rateOf) }]
        : [],
      startTime,
      cpu: cpuStats("node", nodeUsage, rateOf),
      memory: { ...memoryStats(nodeUsage), availableBytes: usage.memoryAvailableBytes },
      ...(first ? { network: { time, ...first, interfaces: usage.interfaces } } : {}),
      fs: fsStats(usage.rootFs, time),
      ...(imageFs ? { runtime: { imageFs, containerFs: imageFs } } : {}),
      rlimit: { time, maxpid: usage.processes.max, curproc: usage.processes.running },
    },
    pods: observed.sandboxes.map((sandbox) => podStats(sandbox, observed, rateOf)),
  };
}

function podStats(sandbox: PodSandbox, observed: ObservedStats, rateOf: RateOf): PodStats {
  const { name, namespace, uid } = sandbox.metadata;
  const time = observed.nowMs;
  const disk = observed.disks.get(uid);
  const running = runningOf(uid, observed);
  const used = running.map(({ stats }) => stats);
  const own = observed.sandboxStats.find(({ sandboxId }) => sandboxId === sandbox.id);
  const usage = own ?? sumOf(used, observed.nowMs);
  return {
    podRef: { name, namespace, uid },
    startTime: sandbox.createdAtMs,
    containers: running.map((container) => containerStats(container, { disk, rateOf })),
    ...(observed.unanswered.has(sandbox.id) ? {} : usageStats(sandbox.id, usage, rateOf)),
    ...(own?.network ? { network: networkStats(own.network) } : {}),
    ...(disk
      ? {
          volume: [
            ...disk.volumes.map((volume) => ({ name: volume.name, ...directoryStats(volume, time) })),
            ...disk.claims.map((usage) => ({ name: usage.volumeName, pvcRef: usage.claim, ...fsStats(usage, time) })),
          ],
          "ephemeral-storage": directoryStats(ephemeralUsage(used, disk), time),
        }
      : {}),
    ...(own ? { process_stats: { process_count: own.processCount } } : {}),
  };
}

interface RunningContainer {
  container: Container;
  stats: RuntimeContainerStats;
}

/**
 * Leaves out the containers that have ended (removeTerminatedContainers in
 * stats/cri_stats_provider.go).
 */
function runningOf(podUid: string, { containers, containerStats: all }: ObservedStats): RunningContainer[] {
  return all.flatMap((stats) => {
    if (stats.labels[labelNames.podUid] !== podUid) return [];
    const container = containers.find(({ id }) => id === stats.containerId);
    return container ? [{ container, stats }] : [];
  });
}

function containerStats(
  { container, stats }: RunningContainer,
  usage: { disk: PodDiskUsage | undefined; rateOf: RateOf },
): ContainerStats {
  const { disk, rateOf } = usage;
  const { name } = container.metadata;
  const logs = disk?.logs.get(name);
  return {
    name,
    startTime: container.createdAtMs,
    ...usageStats(stats.containerId, stats, rateOf),
    rootfs: directoryStats({ bytes: stats.writableLayerBytes, inodes: stats.writableLayerInodes }, stats.timestampMs),
    ...(logs ? { logs: directoryStats(logs, stats.timestampMs) } : {}),
  };
}

/**
 * Sums the usage that counts against requests and limits of ephemeral-storage: layers, logs, and
 * the volumes that are on the node's disk.
 */
function ephemeralUsage(
  containers: readonly Pick<RuntimeContainerStats, "writableLayerBytes" | "writableLayerInodes">[],
  disk: PodDiskUsage,
): FileUsage {
  const parts: FileUsage[] = [
    ...containers.map((stats) => ({ bytes: stats.writableLayerBytes, inodes: stats.writableLayerInodes })),
    ...disk.logs.values(),
    ...disk.volumes.filter(isEphemeral),
  ];
  return {
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    inodes: parts.reduce((sum, { inodes }) => sum + inodes, 0),
  };
}

/** Upstream's IsLocalEphemeralVolume: emptyDirs on disk, and ConfigMaps. */
function isEphemeral({ inMemory, plugin }: PodDiskUsage["volumes"][number]): boolean {
  return !inMemory && (plugin === "empty-dir" || plugin === "configmap");
}

function usageStats(
  key: string,
  usage: ProcessorAndMemoryUsage,
  rateOf: RateOf,
): { cpu: CpuStats; memory: MemoryStats } {
  return { cpu: cpuStats(key, usage, rateOf), memory: memoryStats(usage) };
}

function cpuStats(key: string, usage: ProcessorAndMemoryUsage, rateOf: RateOf): CpuStats {
  const { timestampMs: atMs, cpuUsageNanoseconds: nanoseconds } = usage;
  const usageNanoCores = rateOf(key, { nanoseconds, atMs });
  return {
    time: atMs,
    ...(usageNanoCores === undefined ? {} : { usageNanoCores }),
    usageCoreNanoSeconds: nanoseconds,
  };
}

function memoryStats(usage: ProcessorAndMemoryUsage): MemoryStats {
  const { memoryUsageBytes, memoryRssBytes, pageFaults, majorPageFaults } = usage;
  return {
    time: usage.timestampMs,
    ...(memoryUsageBytes === undefined ? {} : { usageBytes: memoryUsageBytes }),
    workingSetBytes: usage.memoryWorkingSetBytes,
    ...(memoryRssBytes === undefined ? {} : { rssBytes: memoryRssBytes }),
    ...(pageFaults === undefined ? {} : { pageFaults }),
    ...(majorPageFaults === undefined ? {} : { majorPageFaults }),
  };
}

function processorAndMemory(usage: CgroupUsage, timestampMs: number): ProcessorAndMemoryUsage {
  return { ...usage, timestampMs, cpuUsageNanoseconds: usage.cpuNanoseconds };
}

function sumOf(parts: readonly ProcessorAndMemoryUsage[], nowMs: number): ProcessorAndMemoryUsage {
  const sum = (of: (part: ProcessorAndMemoryUsage) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    timestampMs: parts[0]?.timestampMs ?? nowMs,
    cpuUsageNanoseconds: sum((part) => part.cpuUsageNanoseconds),
    memoryWorkingSetBytes: sum((part) => part.memoryWorkingSetBytes),
  };
}

function networkStats({ timestampMs, default: main, interfaces }: NetworkUsage): NetworkStats {
  const all: InterfaceUsage[] = main ? [main, ...interfaces] : interfaces;
  return { time: timestampMs, ...main, interfaces: all };
}

function fsStats(
  space: FilesystemSpace,
  time: number,
  used?: Pick<FilesystemUsage, "usedBytes" | "inodesUsed">,
): FsStats {
  return {
    time,
    availableBytes: space.availableBytes,
    capacityBytes: space.capacityBytes,
    usedBytes: used?.usedBytes ?? space.capacityBytes - space.availableBytes,
    inodesFree: space.inodesFree,
    inodes: space.inodes,
    inodesUsed: used?.inodesUsed ?? space.inodes - space.inodesFree,
  };
}

function directoryStats({ bytes, inodes }: FileUsage, time: number): FsStats {
  return { time, usedBytes: bytes, inodesUsed: inodes };
}

import type { Cgroups, Machine, MachineUsage } from "@kintsugi/kubelet/factory";

/** The size of a machine as its Node reports it. */
export interface MachineSize {
  cpuMillicores: number;
  memoryBytes: number;
  ephemeralStorageBytes: number;
}

/** A machine without pressure, of any size. `bootId` names its current boot. */
export function hollowMachine(
  { nodeName, bootId }: { nodeName: string; bootId: string },
  { cpuMillicores, memoryBytes, ephemeralStorageBytes }: MachineSize,
): Machine {
  const usedBytes = memoryBytes / 8;
  const usage: MachineUsage = {
    cpuNanoseconds: 0,
    memoryUsageBytes: usedBytes,
    memoryWorkingSetBytes: usedBytes,
    memoryRssBytes: usedBytes,
    pageFaults: 0,
    majorPageFaults: 0,
    memoryAvailableBytes: memoryBytes - usedBytes,
    pods: undefined,
    rootFs: {
      device: 1,
      capacityBytes: ephemeralStorageBytes,
      availableBytes: ephemeralStorageBytes * 0.75,
      inodes: 1_000_000,
      inodesFree: 900_000,
    },
    processes: { running: 100, max: 32_768 },
    interfaces: [],
  };
  const facts = {
    cpuMillicores,
    memoryBytes,
    ephemeralStorageBytes,
    cgroupVersion: 2 as const,
    architecture: "amd64",
    operatingSystem: "linux",
    kernelVersion: "0.0.0-hollow",
    osImage: "Kintsugi hollow node",
    machineId: nodeName,
    systemUuid: nodeName,
    bootId,
  };
  return {
    facts: () => Promise.resolve(facts),
    usage: () => Promise.resolve(usage),
    filesystem: () => Promise.resolve(usage.rootFs),
    resolvConf: () => Promise.resolve(""),
  };
}

/** Resource limits have no effect on programs that do not use resources. */
export const hollowCgroups: Cgroups = {
  apply: () => Promise.resolve(),
  raise: () => Promise.resolve(),
  removePod: () => Promise.resolve(),
};

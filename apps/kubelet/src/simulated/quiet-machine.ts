import type { Machine, MachineUsage } from "../machine/kernel/machine.ts";

const gibibyte = 1024 ** 3;

/** The usage of a machine with little load. */
export const quietUsage: MachineUsage = {
  cpuNanoseconds: 1e12,
  memoryUsageBytes: 4 * gibibyte,
  memoryWorkingSetBytes: 4 * gibibyte,
  memoryRssBytes: 3 * gibibyte,
  pageFaults: 0,
  majorPageFaults: 0,
  memoryAvailableBytes: 4 * gibibyte,
  pods: undefined,
  rootFs: {
    device: 1,
    capacityBytes: 100 * gibibyte,
    availableBytes: 50 * gibibyte,
    inodes: 1_000_000,
    inodesFree: 900_000,
  },
  processes: { running: 100, max: 32_768 },
  interfaces: [],
};

export const quietMachineCpuMillicores = 4000;

/** A machine with 4 cores and 8 GiB without pressure. */
export const quietMachine: Machine = {
  facts: () =>
    Promise.resolve({
      cpuMillicores: quietMachineCpuMillicores,
      memoryBytes: 8 * gibibyte,
      ephemeralStorageBytes: 100 * gibibyte,
      cgroupVersion: 2,
      architecture: "amd64",
      operatingSystem: "linux",
      kernelVersion: "6.1.0",
      osImage: "Test",
      machineId: "machine",
      systemUuid: "system",
      bootId: "boot",
    }),
  usage: () => Promise.resolve(quietUsage),
  filesystem: () => Promise.resolve(quietUsage.rootFs),
  resolvConf: () => Promise.resolve("nameserver 192.168.0.1\nsearch example.com\n"),
};

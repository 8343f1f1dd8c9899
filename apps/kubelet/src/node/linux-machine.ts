import { readdir, readFile, statfs } from "node:fs/promises";
import { arch, availableParallelism, release, totalmem } from "node:os";
import { dirname, join } from "node:path";
import type { Machine, MachineFacts, MachinePressure } from "./machine.ts";

export interface LinuxMachineOptions {
  /** Its limits are the node's: several nodes may share one machine. */
  cgroupRoot: string;
  rootDirectory: string;
  /** How many nodes share the machine: each tells of that part of it. Default 1. */
  sharedBy: number;
}

const cgroupMount = "/sys/fs/cgroup";

/** The Linux machine that this process runs on. */
export function createLinuxMachine(options: LinuxMachineOptions): Machine {
  return { facts: () => readFacts(options), pressure: () => readPressure(options) };
}

async function readFacts({ cgroupRoot, rootDirectory, sharedBy }: LinuxMachineOptions): Promise<MachineFacts> {
  const [memoryLimit, cpuLimit, disk] = await Promise.all([
    memoryLimitBytes(cgroupRoot),
    cpuLimitMillicores(cgroupRoot),
    statfs(rootDirectory),
  ]);
  return {
    cpuMillicores: Math.floor(Math.min(cpuLimit, (availableParallelism() * 1000) / sharedBy)),
    memoryBytes: Math.floor(Math.min(memoryLimit, totalmem() / sharedBy)),
    ephemeralStorageBytes: Math.floor((disk.blocks * disk.bsize) / sharedBy),
    architecture: arch() === "x64" ? "amd64" : arch(),
    operatingSystem: "linux",
    kernelVersion: release(),
    osImage: await osImage(),
    machineId: await firstLine("/etc/machine-id"),
    systemUuid: await firstLine("/sys/class/dmi/id/product_uuid"),
    bootId: await firstLine("/proc/sys/kernel/random/boot_id"),
  };
}

async function readPressure({ cgroupRoot, rootDirectory }: LinuxMachineOptions): Promise<MachinePressure> {
  const [meminfo, disk, pidsMax, loadavg, limit, usage] = await Promise.all([
    readText("/proc/meminfo"),
    statfs(rootDirectory),
    firstLine("/proc/sys/kernel/pid_max"),
    readText("/proc/loadavg"),
    memoryLimitBytes(cgroupRoot),
    memoryUsageBytes(cgroupRoot),
  ]);
  const available = Number(/^MemAvailable:\s+(\d+)/m.exec(meminfo)?.[1] ?? 0) * 1024;
  return {
    memoryAvailableBytes: Math.min(available, limit - usage),
    diskAvailableBytes: disk.bavail * disk.bsize,
    diskBytes: disk.blocks * disk.bsize,
    pidsUsed: Number(/\/(\d+)/.exec(loadavg)?.[1] ?? 0),
    pidsMax: Number(pidsMax) || 32_768,
  };
}

/** The least of the group's own limit and its parents'; Infinity without one. Both cgroup versions. */
async function memoryLimitBytes(cgroup: string): Promise<number> {
  return leastOf(cgroup, async (path) => {
    const v2 = await readText(join(cgroupMount, path, "memory.max"));
    const v1 = await readText(join(cgroupMount, "memory", path, "memory.limit_in_bytes"));
    const value = Number((v2 || v1).trim());
    return value > 0 ? value : Infinity;
  });
}

async function cpuLimitMillicores(cgroup: string): Promise<number> {
  return leastOf(cgroup, async (path) => {
    const [v2Quota, v2Period] = (await readText(join(cgroupMount, path, "cpu.max"))).trim().split(" ");
    const quota = Number(v2Quota || (await readText(join(cgroupMount, "cpu", path, "cpu.cfs_quota_us"))).trim());
    const period = Number(v2Period || (await readText(join(cgroupMount, "cpu", path, "cpu.cfs_period_us"))).trim());
    return quota > 0 && period > 0 ? (quota / period) * 1000 : Infinity;
  });
}

/** Without what the kernel can take back at once. */
async function memoryUsageBytes(cgroup: string): Promise<number> {
  if (cgroup === "" || cgroup === "/") return 0;
  const v2 = await readText(join(cgroupMount, cgroup, "memory.current"));
  const v1 = await readText(join(cgroupMount, "memory", cgroup, "memory.usage_in_bytes"));
  const stat =
    (await readText(join(cgroupMount, cgroup, "memory.stat"))) ||
    (await readText(join(cgroupMount, "memory", cgroup, "memory.stat")));
  const inactive = Number(/^(?:total_)?inactive_file (\d+)/m.exec(stat)?.[1] ?? 0);
  return Math.max(0, Number((v2 || v1).trim() || 0) - inactive);
}

async function leastOf(cgroup: string, read: (path: string) => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let path = cgroup; path !== "" && path !== "/" && path !== "."; path = dirname(path)) {
    least = Math.min(least, await read(path));
  }
  return least;
}

async function osImage(): Promise<string> {
  return /^PRETTY_NAME="?([^"\n]*)"?/m.exec(await readText("/etc/os-release"))?.[1] ?? "Linux";
}

async function firstLine(path: string): Promise<string> {
  return (await readText(path)).split("\n")[0]?.trim() ?? "";
}

async function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/** The hierarchies that are mounted: one per controller in version 1, one for all in version 2. */
export async function cgroupHierarchies(): Promise<string[]> {
  const names = await readdir(cgroupMount).catch(() => [] as string[]);
  if (names.includes("cgroup.controllers")) return [cgroupMount];
  return names.map((name) => join(cgroupMount, name));
}

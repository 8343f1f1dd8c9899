import { stat, statfs } from "node:fs/promises";
import { arch, availableParallelism, release, totalmem } from "node:os";
import type { InterfaceUsage } from "@kintsugi/cri";
import {
  cgroupUsage,
  cgroupVersion,
  cpuLimitMillicores,
  memoryLimitBytes,
  numberIn,
  processesOf,
  readText,
} from "./cgroup-files.ts";
import { podsCgroupBelow } from "./cgroups.ts";
import { readMachineIdentity } from "./machine-identity.ts";
import type { CgroupUsage, FilesystemSpace, Machine, MachineFacts, MachineUsage } from "./machine.ts";

export interface LinuxMachineOptions {
  /** The cgroup whose limits are the node's, because several nodes may share one machine. */
  cgroupRoot: string;
  rootDirectory: string;
  /** The resolver configuration that is copied for pods (`--resolv-conf`). */
  resolvConf: string;
  /**
   * The number of nodes that share the machine. Each node reports its share of the machine. Default
   * 1.
   */
  sharedBy: number;
  /** The file that identifies this boot of the machine (`--boot-id-file`). */
  bootIdFile: string;
  /** Nodes that share the machine have their own IDs, derived from their names. */
  nodeName: string;
}

/** The unit in which the kernel counts processor time (USER_HZ, a part of its interface). */
const nanosecondsPerTick = 1e7;

/** The kernel's file that identifies this boot. */
export const kernelBootIdFile = "/proc/sys/kernel/random/boot_id";

/** The Linux machine on which this process runs. */
export function createLinuxMachine(options: LinuxMachineOptions): Machine {
  return {
    facts: () => readFacts(options),
    usage: () => readUsage(options),
    filesystem: readFilesystem,
    resolvConf: () => readText(options.resolvConf),
  };
}

async function readFacts({
  cgroupRoot,
  rootDirectory,
  sharedBy,
  bootIdFile,
  nodeName,
}: LinuxMachineOptions): Promise<MachineFacts> {
  const [memoryLimit, cpuLimit, disk] = await Promise.all([
    memoryLimitBytes(cgroupRoot),
    cpuLimitMillicores(cgroupRoot),
    statfs(rootDirectory),
  ]);
  return {
    cpuMillicores: Math.floor(Math.min(cpuLimit, (availableParallelism() * 1000) / sharedBy)),
    memoryBytes: Math.floor(Math.min(memoryLimit, totalmem() / sharedBy)),
    ephemeralStorageBytes: Math.floor((disk.blocks * disk.bsize) / sharedBy),
    cgroupVersion: await cgroupVersion(),
    architecture: arch() === "x64" ? "amd64" : arch(),
    operatingSystem: "linux",
    kernelVersion: release(),
    osImage: await osImage(),
    ...(await readMachineIdentity({ nodeName, sharedBy })),
    bootId: await firstLine(bootIdFile),
  };
}

async function readUsage({ cgroupRoot, rootDirectory }: LinuxMachineOptions): Promise<MachineUsage> {
  const [meminfo, limit, own, pods, rootFs, processes, devices] = await Promise.all([
    readText("/proc/meminfo"),
    memoryLimitBytes(cgroupRoot),
    cgroupUsage(cgroupRoot),
    cgroupUsage(podsCgroupBelow(cgroupRoot)),
    readFilesystem(rootDirectory),
    processesOf(cgroupRoot),
    readText("/proc/net/dev"),
  ]);
  if (!rootFs)
    throw new Error(`the kubelet's directory ${rootDirectory} no longer exists: create it again, or stop the kubelet`);
  const usage = own ?? (await machineUsage(meminfo));
  const free = (numberIn(meminfo, "MemAvailable") ?? 0) * 1024;
  return {
    ...usage,
    memoryAvailableBytes: Math.max(0, Math.min(free, limit - usage.memoryWorkingSetBytes)),
    pods,
    rootFs,
    processes: processes ?? (await machineProcesses()),
    interfaces: interfacesFrom(devices),
  };
}

/** The whole machine, where the node does not have its own cgroup. */
async function machineUsage(meminfo: string): Promise<CgroupUsage> {
  const [cpu, vmstat] = await Promise.all([readText("/proc/stat"), readText("/proc/vmstat")]);
  const kibibytes = (key: string) => numberIn(meminfo, key) ?? 0;
  // user, nice, system, (idle, iowait,) irq, softirq, steal.
  const ticks = (/^cpu\s+(.*)$/m.exec(cpu)?.[1] ?? "").split(" ").map(Number);
  const busy = [0, 1, 2, 5, 6, 7].reduce((sum, at) => sum + (ticks[at] ?? 0), 0);
  const used = kibibytes("MemTotal") - kibibytes("MemFree");
  return {
    cpuNanoseconds: busy * nanosecondsPerTick,
    memoryUsageBytes: used * 1024,
    memoryWorkingSetBytes: Math.max(0, used - kibibytes("Inactive\\(file\\)")) * 1024,
    memoryRssBytes: kibibytes("AnonPages") * 1024,
    pageFaults: numberIn(vmstat, "pgfault") ?? 0,
    majorPageFaults: numberIn(vmstat, "pgmajfault") ?? 0,
  };
}

async function machineProcesses(): Promise<{ running: number; max: number }> {
  const [loadavg, max] = await Promise.all([readText("/proc/loadavg"), firstLine("/proc/sys/kernel/pid_max")]);
  return { running: Number(/\/(\d+)/.exec(loadavg)?.[1] ?? 0), max: Number(max) || 32_768 };
}

async function readFilesystem(path: string): Promise<FilesystemSpace | undefined> {
  try {
    const [{ dev }, space] = await Promise.all([stat(path), statfs(path)]);
    return {
      device: dev,
      capacityBytes: space.blocks * space.bsize,
      availableBytes: space.bavail * space.bsize,
      inodes: space.files,
      inodesFree: space.ffree,
    };
  } catch {
    return undefined;
  }
}

/** /proc/net/dev: the name, then eight numbers of incoming and eight of outgoing traffic. */
function interfacesFrom(text: string): InterfaceUsage[] {
  return text.split("\n").flatMap((line) => {
    const [, name, rest = ""] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || name === "lo") return [];
    const numbers = rest.trim().split(/\s+/).map(Number);
    const [rxBytes = 0, , rxErrors = 0, , , , , , txBytes = 0, , txErrors = 0] = numbers;
    return [{ name, rxBytes, rxErrors, txBytes, txErrors }];
  });
}

async function osImage(): Promise<string> {
  return /^PRETTY_NAME="?([^"\n]*)"?/m.exec(await readText("/etc/os-release"))?.[1] ?? "Linux";
}

async function firstLine(path: string): Promise<string> {
  return (await readText(path)).split("\n")[0]?.trim() ?? "";
}

import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CgroupUsage } from "./machine.ts";

export const cgroupMount = "/sys/fs/cgroup";

export async function cgroupVersion(): Promise<1 | 2> {
  return (await readText(join(cgroupMount, "cgroup.controllers"))) === "" ? 1 : 2;
}

/** The hierarchies that are mounted: one per controller in version 1, one for all in version 2. */
export async function cgroupHierarchies(): Promise<string[]> {
  const names = await readdir(cgroupMount).catch(() => [] as string[]);
  if (names.includes("cgroup.controllers")) return [cgroupMount];
  return names.map((name) => join(cgroupMount, name));
}

/**
 * The least of the group's own limit and its parents' limits; Infinity without a limit. For both
 * cgroup versions.
 */
export async function memoryLimitBytes(cgroup: string): Promise<number> {
  return leastOf(cgroup, (path) => limitIn(path, { v2: "memory.max", v1: "memory/memory.limit_in_bytes" }));
}

export async function cpuLimitMillicores(cgroup: string): Promise<number> {
  return leastOf(cgroup, async (path) => {
    const [v2Quota, v2Period] = (await readText(join(cgroupMount, path, "cpu.max"))).trim().split(" ");
    const quota = Number(v2Quota || (await readText(join(cgroupMount, "cpu", path, "cpu.cfs_quota_us"))).trim());
    const period = Number(v2Period || (await readText(join(cgroupMount, "cpu", path, "cpu.cfs_period_us"))).trim());
    return quota > 0 && period > 0 ? (quota / period) * 1000 : Infinity;
  });
}

/** Counts the processes and threads in the group, with their limit; undefined without a limit. */
export async function processesOf(cgroup: string): Promise<{ running: number; max: number } | undefined> {
  if (isRoot(cgroup)) return undefined;
  const max = await limitIn(cgroup, { v2: "pids.max", v1: "pids/pids.max" });
  if (!Number.isFinite(max)) return undefined;
  return { running: Number(await readOf(cgroup, { v2: "pids.current", v1: "pids/pids.current" })), max };
}

/**
 * Returns the usage of a group and its descendants; undefined when it does not exist, or is the
 * root.
 */
export async function cgroupUsage(cgroup: string): Promise<CgroupUsage | undefined> {
  if (isRoot(cgroup)) return undefined;
  const [cpuV1, cpuV2, memoryText, stat] = await Promise.all([
    readText(join(cgroupMount, "cpuacct", cgroup, "cpuacct.usage")),
    readText(join(cgroupMount, cgroup, "cpu.stat")),
    readOf(cgroup, { v2: "memory.current", v1: "memory/memory.usage_in_bytes" }),
    readOf(cgroup, { v2: "memory.stat", v1: "memory/memory.stat" }),
  ]);
  if (memoryText === "") return undefined;
  const memoryUsageBytes = Number(memoryText);
  const of = (v1: string, v2: string) => numberIn(stat, `(?:total_)${v1}`) ?? numberIn(stat, v2) ?? 0;
  return {
    cpuNanoseconds: cpuV1 === "" ? (numberIn(cpuV2, "usage_usec") ?? 0) * 1000 : Number(cpuV1.trim()),
    memoryUsageBytes,
    memoryWorkingSetBytes: Math.max(0, memoryUsageBytes - of("inactive_file", "inactive_file")),
    memoryRssBytes: of("rss", "anon"),
    pageFaults: of("pgfault", "pgfault"),
    majorPageFaults: of("pgmajfault", "pgmajfault"),
  };
}

/** A number in a flat keyed file: "inactive_file 4096", "Inactive(file):  4 kB". */
export function numberIn(text: string, key: string): number | undefined {
  const found = new RegExp(`^${key}:?\\s+(\\d+)`, "m").exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

export async function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

function isRoot(cgroup: string): boolean {
  return cgroup === "" || cgroup === "/";
}

async function leastOf(cgroup: string, read: (path: string) => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let path = cgroup; path !== "" && path !== "/" && path !== "."; path = dirname(path)) {
    least = Math.min(least, await read(path));
  }
  return least;
}

/** A file of a group. A `v1` path begins with its controller. */
interface GroupFile {
  v1: string;
  v2: string;
}

async function readOf(cgroup: string, { v1, v2 }: GroupFile): Promise<string> {
  const [controller = "", name = ""] = v1.split("/");
  const text =
    (await readText(join(cgroupMount, cgroup, v2))) || (await readText(join(cgroupMount, controller, cgroup, name)));
  return text.trim();
}

async function limitIn(cgroup: string, file: GroupFile): Promise<number> {
  const value = Number(await readOf(cgroup, file));
  return value > 0 ? value : Infinity;
}

import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kintsugi/clock";
import { identifyProcess, isAlive } from "./process-identity.ts";

const cgroupRoot = "/sys/fs/cgroup";
/**
 * The v1 controllers in which our processes are placed; runc creates the others below the same path
 * for containers.
 */
const placedControllers = ["freezer", "memory", "cpu", "cpuacct", "pids"] as const;
/** All hierarchies in which runc may leave a directory below ours. */
const v1Hierarchies = [
  "blkio",
  "cpu",
  "cpuacct",
  "cpuset",
  "devices",
  "freezer",
  "hugetlb",
  "memory",
  "net_cls",
  "net_prio",
  "perf_event",
  "pids",
  "rdma",
  "misc",
  "systemd",
  "unified",
];

/**
 * Longest time in which none of the killed processes exits, because the kernel frees their memory
 * first.
 */
const emptyWaitMaxMs = 10_000;

type CgroupVersion = 1 | 2;

function cgroupVersion(): CgroupVersion {
  return existsSync(join(cgroupRoot, "cgroup.controllers")) ? 2 : 1;
}

/**
 * Creates the cgroup `path` ("/kintsugi/demo/node-1") and returns the files to which a process
 * writes its pid to join it.
 */
export async function ensureCgroup(path: string): Promise<string[]> {
  const directories = placementDirectories(path);
  for (const directory of directories) await mkdir(directory, { recursive: true });
  if (cgroupVersion() === 2) await delegateControllers(path);
  return directories.map((directory) => join(directory, "cgroup.procs"));
}

/**
 * Creates a cgroup that gets ten times the CPU time of a sibling while both compete.
 * @returns the files that `ensureCgroup` returns.
 */
export async function favourCgroup(path: string): Promise<string[]> {
  const joins = await ensureCgroup(path);
  const file =
    cgroupVersion() === 2 ? join(cgroupRoot, path, "cpu.weight") : join(cgroupRoot, "cpu", path, "cpu.shares");
  const usual = cgroupVersion() === 2 ? 100 : 1024;
  // A host without this controller shares the CPU in its own way.
  if (existsSync(file)) await writeFile(file, String(10 * usual));
  return joins;
}

/** Every process in the cgroup and below it. */
export async function processesIn(path: string): Promise<number[]> {
  const pids = new Set<number>();
  for (const directory of existingCgroups(path)) {
    for (const inner of [directory, ...(await descendants(directory))]) {
      for (const pid of await pidsOf(inner)) pids.add(pid);
    }
  }
  return [...pids];
}

/**
 * Kills every process in the cgroup and below, and prevents forks in the meantime: freeze, SIGKILL,
 * thaw. Resolves when all have ended; hundreds take a while on a busy machine.
 * @throws Error naming the remaining processes when no process has ended for 10 s.
 */
export async function killCgroup(clock: Clock, path: string): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY;
  let deadlineMs = 0;
  for (;;) {
    await setFrozen(path, true);
    const pids = await othersIn(path);
    const killed = await Promise.all(pids.map(identifyProcess));
    for (const pid of pids) sendKill(pid);
    await setFrozen(path, false);
    if (pids.length === 0) return;
    if (pids.length < fewest) {
      fewest = pids.length;
      deadlineMs = clock.monotonicMs() + emptyWaitMaxMs;
    } else if (clock.monotonicMs() > deadlineMs) {
      throw new Error(`processes ${pids.join(", ")} in ${path} do not exit`);
    }
    // The processes are not frozen while they end, because hundreds of processes would never end in
    // the moments between two freezes.
    await clock.sleep(5);
    for (const each of killed) {
      while (each && clock.monotonicMs() <= deadlineMs && (await isAlive(each))) await clock.sleep(5);
    }
  }
}

/** Leaves out this process, which may have joined the group that it has to end. */
async function othersIn(path: string): Promise<number[]> {
  return (await processesIn(path)).filter((pid) => pid !== process.pid);
}

/**
 * Removes the cgroup and all groups below it from every hierarchy; their processes must have ended.
 */
export async function removeCgroup(clock: Clock, path: string): Promise<void> {
  for (const directory of existingCgroups(path)) {
    for (const inner of [...(await descendants(directory)).reverse(), directory]) await removeDirectory(clock, inner);
  }
}

/** Removes the parent that all clusters share, once it is empty. */
export async function removeCgroupIfEmpty(path: string): Promise<void> {
  for (const directory of existingCgroups(path)) await rmdir(directory).catch(() => {});
}

async function setFrozen(path: string, frozen: boolean): Promise<void> {
  const file =
    cgroupVersion() === 2
      ? { name: join(cgroupRoot, path, "cgroup.freeze"), value: frozen ? "1" : "0" }
      : { name: join(cgroupRoot, "freezer", path, "freezer.state"), value: frozen ? "FROZEN" : "THAWED" };
  if (existsSync(file.name)) await writeFile(file.name, file.value);
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function placementDirectories(path: string): string[] {
  if (cgroupVersion() === 2) return [join(cgroupRoot, path)];
  return placedControllers
    .map((controller) => join(cgroupRoot, controller, path))
    .filter((d) => existsSync(join(d.slice(0, -path.length))));
}

/** The directories that the cgroup has, one per hierarchy. */
export function existingCgroups(path: string): string[] {
  const directories =
    cgroupVersion() === 2 ? [join(cgroupRoot, path)] : v1Hierarchies.map((h) => join(cgroupRoot, h, path));
  return directories.filter((directory) => existsSync(directory));
}

/** A parent on v2 has to delegate its controllers before its children can use them. */
async function delegateControllers(path: string): Promise<void> {
  let directory = cgroupRoot;
  for (const part of path
    .split("/")
    .filter((p) => p !== "")
    .slice(0, -1)) {
    await writeFile(join(directory, "cgroup.subtree_control"), "+cpu +memory +pids +cpuset").catch(() => {});
    directory = join(directory, part);
  }
  await writeFile(join(directory, "cgroup.subtree_control"), "+cpu +memory +pids +cpuset").catch(() => {});
}

/** Lists the groups below `directory`, parents before children. */
async function descendants(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const inner = join(directory, entry.name);
    found.push(inner, ...(await descendants(inner)));
  }
  return found;
}

async function pidsOf(directory: string): Promise<number[]> {
  const text = await readFile(join(directory, "cgroup.procs"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);
}

/** A cgroup whose last process has just ended is busy for a moment. */
async function removeDirectory(clock: Clock, directory: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await rmdir(directory);
      return;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ENOENT") return;
      if (code !== "EBUSY" || attempt >= 200) throw error;
      await clock.sleep(10);
    }
  }
}

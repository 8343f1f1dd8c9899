import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Clock } from "@kintsugi/clock";

const mebibyte = 1024 * 1024;
/** The filler takes this much more than the limit, which the container's own memory may be near. */
const slackBytes = 16 * mebibyte;
/** A process that the kernel ends has left within this time, also on a busy machine. */
const endMaxMs = 5_000;
const lookMs = 50;
/** The kernel's score of a process that it ends first. */
const firstVictim = "1000";

/**
 * The program that fills. It joins the container's cgroup and writes a file in memory, which counts
 * there, but not as memory of this process: so the kernel ends the container's process first. The
 * file has no name any more, and disappears with the program.
 */
const filler = `
exec 3>"$1" && rm "$1" && echo $$ >"$2" && exec dd if=/dev/zero bs=${mebibyte} count="$3" >&3
`;

/**
 * Fills the memory of a container up to its limit, so that the kernel ends its process as one that
 * takes too much itself. Nothing outside of the container's cgroup gets less memory.
 * @param pid the container's first process, as this host numbers it
 * @throws Error when the process outlives that, or this process is not root
 */
export async function fillMemory(clock: Pick<Clock, "sleep">, pid: number, limitBytes: number): Promise<void> {
  const procs = memoryProcsFile(await readFile(`/proc/${pid}/cgroup`, "utf8"));
  await writeFile(`/proc/${pid}/oom_score_adj`, firstVictim);
  const file = `/dev/shm/kintsugi-filler-${process.pid}-${pid}`;
  const mebibytes = Math.ceil((limitBytes + slackBytes) / mebibyte);
  const child = spawn("sh", ["-c", filler, "sh", file, procs, String(mebibytes)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said] = await Promise.all([text(child.stderr), once(child, "exit")]);
  for (let waitedMs = 0; await isRunning(pid); waitedMs += lookMs) {
    if (waitedMs >= endMaxMs) throw new Error(`the kernel did not end the process: ${said.trim()}`);
    await clock.sleep(lookMs);
  }
}

/** A process that has ended stays for a moment, until its parent takes notice. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return status !== "" && !/^State:\s+[ZX]/m.test(status);
}

/**
 * Returns the file of a cgroup to which processes of its memory are added, by what
 * `/proc/<pid>/cgroup` has: on version 1 the hierarchy of memory, on version 2 the only one.
 * @throws Error when the process is in the root of its hierarchy, which has no limit
 */
export function memoryProcsFile(cgroups: string): string {
  const found = cgroups.split("\n").flatMap((line) => {
    const [id = "", controllers = "", path = ""] = line.split(/:(.*?):(.*)/s);
    if (controllers.split(",").includes("memory")) return [{ root: "/sys/fs/cgroup/memory", path }];
    return id === "0" && controllers === "" ? [{ root: "/sys/fs/cgroup", path }] : [];
  });
  const best = found.find(({ root }) => root.endsWith("/memory")) ?? found[0];
  if (best === undefined || best.path === "/" || best.path === "")
    throw new Error("the process has no cgroup of its own, so that its memory has no limit");
  return `${best.root}${best.path}/cgroup.procs`;
}

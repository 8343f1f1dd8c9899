import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Clock } from "@kintsugi/clock";

const mebibyte = 1024 * 1024;
/**
 * Memory that the filler takes beyond the limit, because the container's own memory may be near the
 * limit.
 */
const slackBytes = 16 * mebibyte;
/** Time within which a killed process has exited, even on a busy machine. */
const endMaxMs = 5_000;
const lookMs = 50;
/** The kernel's OOM score of a process that it kills first. */
const firstVictim = "1000";

/**
 * The program that fills the memory. It joins the container's cgroup and writes a file in memory,
 * which counts as memory of the cgroup, but not of this process, so the kernel kills the
 * container's process first. The file has no name, and is removed with the program.
 */
const filler = `
exec 3>"$1" && rm "$1" && echo $$ >"$2" && exec dd if=/dev/zero bs=${mebibyte} count="$3" >&3
`;

/**
 * Fills the memory of a container up to its limit, so that the kernel kills its process as if it
 * had taken too much memory itself. Processes outside of the container's cgroup are not affected.
 * @param pid the container's first process, with the host's pid
 * @throws Error when the process survives, or this process is not root
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

/** A process that has ended remains for a moment, until its parent reaps it. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return status !== "" && !/^State:\s+[ZX]/m.test(status);
}

/**
 * Returns the file of a cgroup to which processes of its memory are added, from the content of
 * `/proc/<pid>/cgroup`: on version 1 the memory hierarchy, on version 2 the only hierarchy.
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
    throw new Error("the process has no separate cgroup, so its memory is not limited");
  return `${best.root}${best.path}/cgroup.procs`;
}

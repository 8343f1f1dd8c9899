import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { eventually } from "../../support/run-program.ts";

/** Reports whether a process runs; a process that has ended and was not waited for does not run. */
export function isRunning(pid: number): boolean {
  const status = readProcess(pid, "status");
  return status !== "" && !/^State:\s+[ZX]/m.test(status);
}

/** Kills a process with -9, and waits until it no longer exists. */
export async function killNow(pid: number): Promise<void> {
  signal(pid, "SIGKILL");
  await eventually(`process ${pid} is gone`, async () => !isRunning(pid), 10_000);
}

/** A process that has ended in the meantime is not an error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Lists the open files of a process whose names match: files by their paths, sockets as
 * "socket:[inode]".
 */
export function openFiles(pid: number, matches: (target: string) => boolean): string[] {
  const directory = `/proc/${pid}/fd`;
  try {
    return readdirSync(directory).flatMap((fd) => {
      try {
        const target = readlinkSync(`${directory}/${fd}`);
        return matches(target) ? [target] : [];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** The TCP connections of a process from or to a port, as `openFiles` names them. */
export function openSockets(pid: number, side: "local" | "remote", port: number): string[] {
  const field = side === "local" ? 1 : 2;
  const established = "01";
  const inodes = new Set(
    readProcess(pid, "net/tcp")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((row) => Number.parseInt(row[field]?.split(":")[1] ?? "", 16) === port && row[3] === established)
      .map((row) => `socket:[${row[9]}]`),
  );
  return openFiles(pid, (target) => inodes.has(target));
}

export interface Tracing {
  /** Resolves when the traced process has ended or the tracing was stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface TraceOptions {
  /** "fdatasync", "write,writev". */
  calls: string;
  /** Only calls on these files, as `openFiles` names them. */
  on: readonly string[];
  /**
   * The fault of such a call, in strace's words: "signal=KILL:when=3", "error=EIO:when=1",
   * "delay_enter=200000".
   */
  inject: string;
}

/**
 * Makes system calls of a running process fail, or kills it there, by strace, so that the product
 * does not need a switch for such faults.
 */
export async function trace(pid: number, options: TraceOptions): Promise<Tracing> {
  const paths = options.on.flatMap((path) => ["-P", path]);
  const args = ["-f", "-qqq", "-o", "/dev/null", "-p", String(pid), ...paths];
  const what = ["-e", `trace=${options.calls}`, "-e", `inject=${options.calls}:${options.inject}`];
  const child = spawn("strace", [...args, ...what], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  await eventually(
    "strace has taken hold",
    async () => hasEnded(child) || !isRunning(pid) || !/^TracerPid:\s+0$/m.test(readProcess(pid, "status")),
    5_000,
  );
  return {
    ended,
    async stop() {
      // strace detaches from the traced process first, and that process continues.
      if (!hasEnded(child)) child.kill("SIGTERM");
      await ended;
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** The name of a process's program, as the kernel reports it. */
export function nameOf(pid: number): string {
  return readProcess(pid, "comm").trim();
}

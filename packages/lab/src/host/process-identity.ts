import { readFile } from "node:fs/promises";

/** A process, distinguished from a later process with the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** The start in clock ticks since boot, from /proc/<pid>/stat. */
  startTime: string;
}

/**
 * Returns the process that has `pid` now, or undefined if it does not exist (a zombie does not
 * count).
 */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat === undefined ? undefined : parseStat(pid, stat);
}

/**
 * Fields of /proc/<pid>/stat after the command's name, which may itself contain spaces and brackets
 * (proc(5)).
 */
function parseStat(pid: number, stat: string): ProcessIdentity | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields[0], fields[19]];
  if (state === "Z" || state === "X" || startTime === undefined) return undefined;
  return { pid, startTime };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startTime === identity.startTime;
}

/** Sends a signal if the process is still the same. Returns whether the process was the same. */
export async function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isAlive(identity))) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

import { readdirSync, readFileSync } from "node:fs";

/** The ids of the processes that a process has started and that still run. */
export function childProcesses(parent: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    return Number.isInteger(pid) && statusOf(pid)?.parent === parent ? [pid] : [];
  });
}

export function isRunning(pid: number): boolean {
  const status = statusOf(pid);
  return status !== undefined && status.state !== "Z";
}

function statusOf(pid: number): { state: string; parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The state and the parent follow the name, which is in parentheses.
    const [state = "", parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** A process that the kernel killed because the machine as a whole had no memory left. */
export interface SystemOomVictim {
  process: string;
  pid: number;
}

/**
 * Who fell victim, of one record of the kernel's log ("3,1234,5678901,-;Out of memory: Killed process 42 (hog) total-vm:…"). What a
 * cgroup's limit kills is told otherwise ("Memory cgroup out of memory: …"), and what a process wrote there itself is not believed:
 * its facility is not the kernel's.
 */
export function systemOomVictim(record: string): SystemOomVictim | undefined {
  const [, priority = "", message = ""] = /^(\d+),[^;]*;(.*)/.exec(record) ?? [];
  if (priority === "" || Number(priority) >> 3 !== 0) return undefined;
  const [, pid, process] = /^Out of memory(?: \([^)]*\))?: Killed process (\d+) \((.+?)\)(?: |,|$)/.exec(message) ?? [];
  return pid === undefined || process === undefined ? undefined : { process, pid: Number(pid) };
}

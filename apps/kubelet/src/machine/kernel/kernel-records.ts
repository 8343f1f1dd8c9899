/** A process that the kernel killed because the machine as a whole was out of memory. */
export interface SystemOomVictim {
  process: string;
  pid: number;
}

/**
 * Returns the killed process in one record of the kernel's log ("3,1234,5678901,-;Out of memory:
 * Killed process 42 (hog) total-vm:…"). A kill at a cgroup's limit has another text ("Memory cgroup
 * out of memory: …").
 */
export function systemOomVictim(record: string): SystemOomVictim | undefined {
  const message = messageOfKernel(record) ?? "";
  const [, pid, process] = /^Out of memory(?: \([^)]*\))?: Killed process (\d+) \((.+?)\)(?: |,|$)/.exec(message) ?? [];
  return pid === undefined || process === undefined ? undefined : { process, pid: Number(pid) };
}

/**
 * Returns the container in which a process was OOM-killed, at any limit, from one record of the
 * kernel's log:
 *
 *   6,1235,5678902,-;oom-kill:constraint=CONSTRAINT_MEMCG,…,
 *   task_memcg=/kubepods/burstable/pod…/<id>,task=hog,pid=42,uid=0
 *
 * The result contains all parts that can be ids in the path of its cgroup, because a node may
 * itself be in a container. Kernels before 5.0 do not write these parts into one record, and after
 * ten kills in 5 s the kernel omits further kills.
 */
export function oomKilledContainers(record: string): string[] {
  // Nearly all records are of other kinds, and several thousand records are read at the start.
  if (!record.includes(";oom-kill:")) return [];
  const [, path = ""] = /^oom-kill:.*?,task_memcg=([^,]*),task=/.exec(messageOfKernel(record) ?? "") ?? [];
  return path.match(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g) ?? [];
}

/**
 * A record that a process wrote itself is not trusted, because its facility is not the kernel's.
 */
function messageOfKernel(record: string): string | undefined {
  const [, priority = "", message = ""] = /^(\d+),[^;]*;(.*)/.exec(record) ?? [];
  return priority !== "" && Number(priority) >> 3 === 0 ? message : undefined;
}

import type { KernelLog } from "../machine/kernel/kernel-log.ts";

/** A kernel log that a test writes. */
export class MemoryKernelLog implements KernelLog {
  readonly #records: string[] = [];

  say(...records: string[]): void {
    this.#records.push(...records);
  }

  /**
   * Writes the kernel's record of a process that it kills in a container whose cgroup is at its
   * limit.
   */
  sayOomKill(containerId: string): void {
    const cgroup = `/kubepods/burstable/pod00000000-0000-4000-8000-000000000001`;
    const killed = `oom_memcg=${cgroup},task_memcg=${cgroup}/${containerId},task=hog,pid=42,uid=0`;
    this.say(
      `6,1234,5678901,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,${killed}\n`,
    );
  }

  run: KernelLog["run"] = (read) => {
    const earlier = this.#records.slice();
    let told = earlier.length;
    const next = () => {
      const records = this.#records.slice(told);
      told = this.#records.length;
      return records;
    };
    return read({ earlier, next });
  };
}

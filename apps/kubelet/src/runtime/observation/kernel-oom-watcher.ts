import type { Logger } from "@kintsugi/api";
import { type Clock, forgetOldest } from "@kintsugi/clock";
import { type EventSink, nodeReference } from "../../model/pod-events.ts";
import type { KernelLog } from "../../machine/kernel/kernel-log.ts";
import { oomKilledContainers, systemOomVictim } from "../../machine/kernel/kernel-records.ts";

export interface KernelOomWatcherDeps {
  kernelLog: KernelLog;
  clock: Clock;
  log: Logger;
  nodeEvents: EventSink;
}

/** A machine remains out of memory for seconds. */
const lookIntervalMs = 5000;
/** Limit of the records, above the number that the kernel's log of several hundred KiB can hold. */
const containersMax = 1000;

/**
 * Follows the kernel's records of OOM kills. A kill because the whole machine is out of memory
 * becomes an event of the node, as in upstream's oom_watcher_linux.go. For other kills the
 * containers are recorded.
 */
export class KernelOomWatcher {
  readonly #deps: KernelOomWatcherDeps;
  readonly #nodeName: string;
  readonly #containers = new Set<string>();
  #look = (): void => {};

  constructor(deps: KernelOomWatcherDeps, { nodeName }: { nodeName: string }) {
    this.#deps = deps;
    this.#nodeName = nodeName;
  }

  /** Ends early on a machine whose log may not be read. */
  async run(signal: AbortSignal): Promise<void> {
    const { kernelLog, clock, log } = this.#deps;
    try {
      await kernelLog.run(async ({ earlier, next }) => {
        // The previous kubelet may have emitted their events.
        for (const record of earlier) this.#note(record);
        this.#look = () => {
          for (const record of next()) {
            this.#note(record);
            this.#tell(record);
          }
        };
        while (!signal.aborted) {
          this.#look();
          await clock.sleep(lookIntervalMs, signal).catch(() => {});
        }
      });
    } catch (error) {
      const message = "kernel's log not read: the node cannot report SystemOOM, or an OOM kill that the runtime missed";
      log.warn(message, { error });
    } finally {
      this.#look = () => {};
    }
  }

  /**
   * Reports whether the kernel has OOM-killed a process in the container. The record is complete
   * before the process ends.
   */
  hasKilledIn(containerId: string): boolean {
    if (this.#containers.has(containerId)) return true;
    this.#look();
    return this.#containers.has(containerId);
  }

  #note(record: string): void {
    for (const id of oomKilledContainers(record)) {
      this.#containers.add(id);
      forgetOldest(this.#containers, containersMax);
    }
  }

  #tell(record: string): void {
    const victim = systemOomVictim(record);
    if (!victim) return;
    const message = `System OOM encountered, victim process: ${victim.process}, pid: ${victim.pid}`;
    this.#deps.nodeEvents.record(nodeReference(this.#nodeName), { type: "Warning", reason: "SystemOOM", message });
  }
}

import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type EventSink, nodeReference } from "../events/pod-events.ts";
import type { KernelLog } from "./kernel-log.ts";
import { systemOomVictim } from "./system-oom.ts";

export interface SystemOomWatcherDeps {
  kernelLog: KernelLog;
  clock: Clock;
  log: Logger;
  nodeEvents: EventSink;
}

/** A machine that was out of memory has been so for seconds already. */
const lookIntervalMs = 5000;

/** Tells of processes that the kernel killed for want of memory in the whole machine, as upstream's (oom_watcher_linux.go). */
export class SystemOomWatcher {
  readonly #deps: SystemOomWatcherDeps;
  readonly #nodeName: string;

  constructor(deps: SystemOomWatcherDeps, { nodeName }: { nodeName: string }) {
    this.#deps = deps;
    this.#nodeName = nodeName;
  }

  /** Ends early on a machine that lets nobody read its log. */
  async run(signal: AbortSignal): Promise<void> {
    const { kernelLog, clock, log } = this.#deps;
    try {
      await kernelLog.run(async (next) => {
        while (!signal.aborted) {
          for (const record of await next()) this.#tell(record);
          await clock.sleep(lookIntervalMs, signal).catch(() => {});
        }
      });
    } catch (error) {
      log.warn("kernel's log not read: the node cannot tell of SystemOOM", { error });
    }
  }

  #tell(record: string): void {
    const victim = systemOomVictim(record);
    if (!victim) return;
    const message = `System OOM encountered, victim process: ${victim.process}, pid: ${victim.pid}`;
    this.#deps.nodeEvents.record(nodeReference(this.#nodeName), { type: "Warning", reason: "SystemOOM", message });
  }
}

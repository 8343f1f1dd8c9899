import type { Logger } from "@kintsugi/api";
import type { Client, EventRecorder } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { PodInfo } from "@kintsugi/scheduling";
import { truncated, writePodCondition } from "./binding/pod-condition.ts";
import type { QueuedPod } from "./queue/queued-pod.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";

export interface AttemptReporterDeps {
  client: Client;
  clock: Clock;
  log: Logger;
  metrics: SchedulerMetrics;
  events: EventRecorder;
}

/** Reports the outcome of an attempt to users: by an event, a condition of the pod, a metric. */
export class AttemptReporter {
  readonly #deps: AttemptReporterDeps;

  constructor(deps: AttemptReporterDeps) {
    this.#deps = deps;
  }

  scheduled({ pod, attempts, addedMs }: QueuedPod, nodeName: string): void {
    const { clock, metrics, events } = this.#deps;
    metrics.scheduled(attempts, clock.monotonicMs() - addedMs);
    events.record(pod.pod, {
      type: "Normal",
      reason: "Scheduled",
      message: `Successfully assigned ${pod.key} to ${nodeName}`,
      action: "Binding",
    });
  }

  /** Resolves when the condition is written. */
  async failed(pod: PodInfo, why: Parameters<typeof writePodCondition>[2]): Promise<void> {
    const { client, clock, log } = this.#deps;
    this.recordFailure(pod, why.message);
    await writePodCondition({ client, log, nowMs: () => clock.nowMs() }, pod.pod, why);
  }

  /** Records only the event, for a pod whose condition is written together with its nomination. */
  recordFailure({ pod }: PodInfo, message: string): void {
    const what = { type: "Warning", reason: "FailedScheduling", action: "Scheduling" } as const;
    this.#deps.events.record(pod, { ...what, message: truncated(message) });
  }
}

import type { Counter, Gauge, Histogram, Metrics } from "@kintsugi/api";
import type { ClusterState, TimedPoint } from "@kintsugi/scheduling";
import type { QueueName, SchedulingQueue } from "./queue/scheduling-queue.ts";

export type AttemptResult = "scheduled" | "unschedulable" | "error";

/** The scheduler's measurements, under upstream's names. */
export class SchedulerMetrics {
  readonly #profile: string;
  readonly #attempts: Counter;
  readonly #attemptDurations: Histogram;
  readonly #algorithmDurations: Histogram;
  readonly #extensionPoints: Histogram;
  readonly #sliDurations: Histogram;
  readonly #podAttempts: Histogram;
  readonly #pending: Gauge;
  readonly #incoming: Counter;
  readonly #cacheSize: Gauge;
  readonly #unschedulable: Gauge;
  readonly #preemptionAttempts: Counter;
  readonly #preemptionVictims: Histogram;
  readonly #unschedulableBy = new Map<string, number>();

  constructor(metrics: Metrics, profile: string) {
    this.#profile = profile;
    this.#attempts = metrics.counter({
      name: "scheduler_schedule_attempts_total",
      help: "Number of attempts to schedule pods, by the result.",
      labels: ["result", "profile"],
    });
    this.#attemptDurations = metrics.histogram({
      name: "scheduler_scheduling_attempt_duration_seconds",
      help: "Scheduling attempt latency in seconds (scheduling algorithm + binding).",
      labels: ["result", "profile"],
      buckets: doubling(0.001, 15),
    });
    this.#algorithmDurations = metrics.histogram({
      name: "scheduler_scheduling_algorithm_duration_seconds",
      help: "Scheduling algorithm latency in seconds.",
      buckets: doubling(0.001, 15),
    });
    this.#extensionPoints = metrics.histogram({
      name: "scheduler_framework_extension_point_duration_seconds",
      help: "Latency for running all plugins of a specific extension point.",
      labels: ["extension_point", "status", "profile"],
      buckets: doubling(0.0001, 12),
    });
    this.#sliDurations = metrics.histogram({
      name: "scheduler_pod_scheduling_sli_duration_seconds",
      help: "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue.",
      labels: ["attempts"],
      buckets: doubling(0.01, 20),
    });
    this.#podAttempts = metrics.histogram({
      name: "scheduler_pod_scheduling_attempts",
      help: "Number of attempts to successfully schedule a pod.",
      buckets: [1, 2, 4, 8, 16],
    });
    this.#pending = metrics.gauge({
      name: "scheduler_pending_pods",
      help: "Number of pending pods, by the queue type.",
      labels: ["queue"],
    });
    this.#incoming = metrics.counter({
      name: "scheduler_queue_incoming_pods_total",
      help: "Number of pods added to scheduling queues by event and queue type.",
      labels: ["event", "queue"],
    });
    this.#cacheSize = metrics.gauge({
      name: "scheduler_cache_size",
      help: "Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
      labels: ["type"],
    });
    this.#unschedulable = metrics.gauge({
      name: "scheduler_unschedulable_pods",
      help: "The number of unschedulable pods broken down by plugin name.",
      labels: ["plugin", "profile"],
    });
    this.#preemptionAttempts = metrics.counter({
      name: "scheduler_preemption_attempts_total",
      help: "Total preemption attempts in the cluster till now.",
    });
    this.#preemptionVictims = metrics.histogram({
      name: "scheduler_preemption_victims",
      help: "Number of selected preemption victims.",
      buckets: doubling(1, 7),
    });
  }

  incoming(queue: QueueName, event: string): void {
    this.#incoming.add(1, { queue, event });
  }

  decided(durationMs: number): void {
    this.#algorithmDurations.observe(durationMs / 1000);
  }

  /**
   * Records the time of all plugins of an extension point together, and of all nodes where the
   * point runs for each node.
   */
  extensionPoint(
    point: TimedPoint | "PostFilter" | "PreBind" | "Bind",
    status: "Success" | "Error",
    durationMs: number,
  ): void {
    this.#extensionPoints.observe(durationMs / 1000, { extension_point: point, status, profile: this.#profile });
  }

  attempted(result: AttemptResult, durationMs: number): void {
    const labels = { result, profile: this.#profile };
    this.#attempts.add(1, labels);
    this.#attemptDurations.observe(durationMs / 1000, labels);
  }

  scheduled(attempts: number, sinceFirstSeenMs: number): void {
    this.#podAttempts.observe(attempts);
    this.#sliDurations.observe(sinceFirstSeenMs / 1000, { attempts: attempts < 15 ? String(attempts) : "15+" });
  }

  preemptionAttempted(): void {
    this.#preemptionAttempts.add(1);
  }

  preempted(victims: number): void {
    this.#preemptionVictims.observe(victims);
  }

  /** Records a change of the number of pods that wait because of these plugins. */
  rejected(plugins: ReadonlySet<string>, by: 1 | -1): void {
    for (const plugin of plugins) {
      const count = (this.#unschedulableBy.get(plugin) ?? 0) + by;
      this.#unschedulableBy.set(plugin, count);
      this.#unschedulable.set(count, { plugin, profile: this.#profile });
    }
  }

  sizes(queue: SchedulingQueue, state: ClusterState): void {
    for (const [name, size] of Object.entries(queue.sizes())) this.#pending.set(size, { queue: name });
    this.#cacheSize.set(state.nodes.length, { type: "nodes" });
    this.#cacheSize.set(state.podCount, { type: "pods" });
    this.#cacheSize.set(state.assumedCount, { type: "assumed_pods" });
  }
}

function doubling(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first * 2 ** i);
}

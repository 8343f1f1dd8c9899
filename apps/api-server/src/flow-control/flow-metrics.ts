import type { Counter, Gauge, Histogram, Metrics } from "@kintsugi/api";
import type { FlowRejection } from "./fair-queues.ts";

type FlowLabels = Readonly<Record<"priority_level" | "flow_schema", string>>;

const flowLabels = ["priority_level", "flow_schema"] as const;
// Upstream's.
const waitBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

/** Upstream's metrics of priority and fairness. */
export class FlowMetrics {
  readonly #dispatched: Counter;
  readonly #rejected: Counter;
  readonly #waits: Histogram;
  readonly #executions: Histogram;
  readonly #levels: Readonly<Record<"nominal" | "current" | "inUse" | "waiting", Gauge>>;

  constructor(metrics: Metrics) {
    this.#dispatched = metrics.counter({
      name: "apiserver_flowcontrol_dispatched_requests_total",
      help: "Number of requests executed by API Priority and Fairness subsystem",
      labels: flowLabels,
    });
    this.#rejected = metrics.counter({
      name: "apiserver_flowcontrol_rejected_requests_total",
      help: "Number of requests rejected by API Priority and Fairness subsystem",
      labels: [...flowLabels, "reason"],
    });
    this.#waits = metrics.histogram({
      name: "apiserver_flowcontrol_request_wait_duration_seconds",
      help: "Length of time a request spent waiting in its queue",
      labels: [...flowLabels, "execute"],
      buckets: waitBuckets,
    });
    this.#executions = metrics.histogram({
      name: "apiserver_flowcontrol_request_execution_seconds",
      help: "Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem",
      labels: [...flowLabels, "type"],
      buckets: waitBuckets,
    });
    const ofLevel = (name: string, help: string) =>
      metrics.gauge({ name: `apiserver_flowcontrol_${name}`, help, labels: ["priority_level"] });
    this.#levels = {
      nominal: ofLevel("nominal_limit_seats", "Nominal number of execution seats configured for each priority level"),
      current: ofLevel("current_limit_seats", "current derived number of execution seats available to each level"),
      inUse: ofLevel("current_executing_seats", "Concurrency (number of seats) occupied by the executing requests"),
      waiting: ofLevel("current_inqueue_requests", "Number of requests currently pending in queues"),
    };
  }

  dispatched(labels: FlowLabels, waitedMs: number): void {
    this.#dispatched.add(1, labels);
    this.#waits.observe(waitedMs / 1000, { ...labels, execute: "true" });
  }

  rejected(labels: FlowLabels, reason: FlowRejection): void {
    this.#rejected.add(1, { ...labels, reason });
  }

  executed(labels: FlowLabels, ms: number): void {
    this.#executions.observe(ms / 1000, { ...labels, type: "regular" });
  }

  /** Set when the metrics are read, not with each request. */
  setLevel(name: string, seats: Readonly<Record<"nominal" | "current" | "inUse" | "waiting", number>>): void {
    const labels = { priority_level: name };
    for (const part of ["nominal", "current", "inUse", "waiting"] as const) this.#levels[part].set(seats[part], labels);
  }
}

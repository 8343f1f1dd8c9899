import { status } from "@grpc/grpc-js";
import type { Counter, Gauge, Histogram, Labels, Metrics } from "@kintsugi/api";
import type { EtcdStatus } from "./etcd-room.ts";

/** A commit takes some milliseconds; a member is abandoned after 2 s. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/**
 * The measurements of calls to etcd. Requests use upstream's metric name and are measured at the
 * same place as writes.
 */
export class EtcdMetrics {
  readonly #seconds: Histogram;
  readonly #failures: Counter;
  readonly #overtaken: Counter;
  readonly #bytes: Gauge;
  readonly #quota: Gauge;

  constructor(metrics: Metrics) {
    this.#seconds = metrics.histogram({
      name: "kintsugi_etcd_call_duration_seconds",
      help: "Time from a call of etcd to its answer or failure, by the name of the call.",
      labels: ["call"],
      buckets,
    });
    this.#failures = metrics.counter({
      name: "kintsugi_etcd_call_failures_total",
      help: "Number of calls of etcd that were refused or not answered, by call and gRPC code.",
      labels: ["call", "code"],
    });
    this.#overtaken = metrics.counter({
      name: "kintsugi_etcd_commits_overtaken_total",
      help: "Number of commits that were decided again because another server's commit was first.",
    });
    this.#bytes = metrics.gauge({
      name: "kintsugi_etcd_database_bytes",
      help: "Bytes of the member's database: its file, and the part of it in use.",
      labels: ["part"],
    });
    this.#quota = metrics.gauge({
      name: "kintsugi_etcd_quota_bytes",
      help: "Bytes of --etcd-quota-backend-bytes, which must equal the members' own quota.",
    });
  }

  ended(call: string, seconds: number): void {
    this.#seconds.observe(seconds, labelsOf(call));
  }

  failed(call: string, code: status): void {
    this.#failures.add(1, { call, code: status[code] });
  }

  overtaken(): void {
    this.#overtaken.add(1);
  }

  quota(bytes: number): void {
    this.#quota.set(bytes);
  }

  seen({ databaseBytes, usedBytes }: EtcdStatus): void {
    this.#bytes.set(databaseBytes, { part: "file" });
    this.#bytes.set(usedBytes, { part: "used" });
  }
}

/** Metrics find their labels by identity; there are four call names. */
const known = new Map<string, Labels>();

function labelsOf(call: string): Labels {
  const labels = known.get(call) ?? { call };
  known.set(call, labels);
  return labels;
}

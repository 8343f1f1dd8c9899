import type { Counter, Histogram, Metrics } from "@kintsugi/api";
import type { Transport } from "./forwarder.ts";
import type { Rcode } from "./message.ts";

/** The metrics on dashboards of CoreDNS, under its names (plugin/metrics). */
export class NameMetrics {
  readonly #requests: Counter;
  readonly #responses: Counter;
  readonly #durations: Histogram;
  readonly #rejected: Counter;

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter({
      name: "coredns_dns_requests_total",
      help: "Counter of DNS requests made per zone, protocol and family.",
      labels: ["server", "zone", "proto", "family", "type"],
    });
    this.#responses = metrics.counter({
      name: "coredns_dns_responses_total",
      help: "Counter of response status codes.",
      labels: ["server", "zone", "rcode"],
    });
    this.#durations = metrics.histogram({
      name: "coredns_dns_request_duration_seconds",
      help: "Histogram of the time (in seconds) each request took per zone.",
      labels: ["server", "zone"],
      buckets: durationBuckets,
    });
    this.#rejected = metrics.counter({
      name: "coredns_forward_max_concurrent_rejects_total",
      help: "Counter of the number of queries rejected because the concurrent queries were at maximum.",
    });
  }

  asked(question: { zone: string; transport: Transport; type: string }): void {
    const type = knownTypes.has(question.type) ? question.type : "other";
    this.#requests.add(1, { server, zone: question.zone, proto: question.transport, family: "1", type });
  }

  answered(answer: { zone: string; rcode: Rcode; tookMs: number }): void {
    this.#responses.add(1, { server, zone: answer.zone, rcode: answer.rcode });
    this.#durations.observe(answer.tookMs / 1000, { server, zone: answer.zone });
  }

  rejected(): void {
    this.#rejected.add(1);
  }
}

const server = "dns://:53";
/** CoreDNS's buckets, from 0.25 ms to 8.192 s, each twice the previous bucket. */
const durationBuckets = Array.from({ length: 16 }, (_, index) => 0.000_25 * 2 ** index);
/** A query can have any of 65,536 types, so only types that clients use have a separate count. */
const knownTypes = new Set([
  "A",
  "AAAA",
  "CNAME",
  "MX",
  "NS",
  "PTR",
  "SOA",
  "SRV",
  "TXT",
  "ANY",
  "HTTPS",
  "SVCB",
  "NAPTR",
]);

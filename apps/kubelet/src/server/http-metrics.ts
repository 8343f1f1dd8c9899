import type { Counter, Gauge, Histogram, Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";

/** Upstream's list of long-running requests. */
const longRunningPaths = new Set(["exec", "attach", "portForward", "debug"]);
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Prometheus' default buckets, which upstream uses. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts and times the requests to the kubelet's own port, under upstream's names. */
export class HttpMetrics {
  readonly #clock: Clock;
  readonly #total: Counter;
  readonly #seconds: Histogram;
  readonly #inFlight: Gauge;
  readonly #open = new Map<string, number>();

  constructor({ clock, metrics }: { clock: Clock; metrics: Metrics }) {
    this.#clock = clock;
    const labels = ["method", "path", "server_type", "long_running"];
    this.#total = metrics.counter({
      name: "kubelet_http_requests_total",
      help: "Number of the http requests received since the server started",
      labels,
    });
    this.#seconds = metrics.histogram({
      name: "kubelet_http_requests_duration_seconds",
      help: "Duration in seconds to serve http requests",
      labels,
      buckets: durationBuckets,
    });
    this.#inFlight = metrics.gauge({
      name: "kubelet_http_inflight_requests",
      help: "Number of the inflight http requests",
      labels,
    });
  }

  /**
   * Returns a function to be called when the request has been answered. `path` is the path of a
   * route, or "other", because clients can invent paths.
   */
  begin(method: string, path: string): () => void {
    const labels = {
      method: methods.has(method) ? method : "other",
      path,
      server_type: "readwrite",
      long_running: String(longRunningPaths.has(path)),
    };
    const startedMs = this.#clock.monotonicMs();
    this.#total.add(1, labels);
    this.#count(labels, 1);
    return () => {
      this.#count(labels, -1);
      this.#seconds.observe((this.#clock.monotonicMs() - startedMs) / 1000, labels);
    };
  }

  #count(labels: Readonly<Record<string, string>>, change: 1 | -1): void {
    const key = Object.values(labels).join("/");
    const open = (this.#open.get(key) ?? 0) + change;
    this.#open.set(key, open);
    this.#inFlight.set(open, labels);
  }
}

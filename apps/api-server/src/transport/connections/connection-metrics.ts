import type { Counter, Gauge, Metrics } from "@kintsugi/api";
import type { EndReason } from "./connection-register.ts";

/** Counts the actions by which the server protects itself from connections. */
export class ConnectionMetrics {
  readonly #open: Gauge;
  readonly #ended: Counter;
  readonly #handshakeErrors: Counter;

  constructor(metrics: Metrics) {
    this.#open = metrics.gauge({
      name: "kintsugi_apiserver_connections",
      help: "Open connections, by whether the client is authenticated.",
      labels: ["client"],
    });
    this.#ended = metrics.counter({
      name: "kintsugi_apiserver_connections_rejected_total",
      help: "Connections that were refused or ended to protect the server, by the limit that was exceeded.",
      labels: ["reason"],
    });
    this.#handshakeErrors = metrics.counter({
      name: "apiserver_tls_handshake_errors_total",
      help: "Number of requests dropped with 'TLS handshake error from' error",
    });
  }

  setOpen({ known, unknown }: { known: number; unknown: number }): void {
    this.#open.set(known, { client: "known" });
    this.#open.set(unknown, { client: "unknown" });
  }

  rejected(reason: EndReason | "flood"): void {
    this.#ended.add(1, { reason });
  }

  handshakeFailed(): void {
    this.#handshakeErrors.add(1);
  }
}

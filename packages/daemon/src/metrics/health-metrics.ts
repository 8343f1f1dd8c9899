import type { Metrics } from "@kintsugi/api";

/** Which page a check was asked for. */
export type HealthPage = "healthz" | "livez" | "readyz";

/**
 * Notes what a health check said, under upstream's names (component-base/metrics/prometheus/slis).
 */
export function createHealthMetrics(metrics: Metrics): (type: HealthPage, name: string, holds: boolean) => void {
  const last = metrics.gauge({
    name: "kubernetes_healthcheck",
    help: "This metric records the result of a single healthcheck.",
    labels: ["name", "type"],
  });
  const total = metrics.counter({
    name: "kubernetes_healthchecks_total",
    help: "This metric records the results of all healthcheck.",
    labels: ["name", "status", "type"],
  });
  return (type, name, holds) => {
    last.set(holds ? 1 : 0, { name, type });
    total.add(1, { name, type, status: holds ? "success" : "error" });
  };
}

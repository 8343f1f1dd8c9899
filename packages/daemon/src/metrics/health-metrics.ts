import type { Metrics } from "@kintsugi/api";

/** The page for which a check ran. */
export type HealthPage = "healthz" | "livez" | "readyz";

/**
 * Records the result of a health check, under upstream's names
 * (component-base/metrics/prometheus/slis).
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

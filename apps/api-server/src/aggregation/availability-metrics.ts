import type { APIServiceCondition, Metrics } from "@kintsugi/api";

type Outcome = Pick<APIServiceCondition, "status" | "reason">;

/** Measures the API servers behind this server. */
export interface AvailabilityMetrics {
  /** @param states the last written condition Available, and the condition that this check found */
  checked(name: string, states: { readonly before: Outcome | undefined; readonly now: Outcome }): void;
  /** Removes the series of an APIService that no longer exists. */
  remove(name: string): void;
}

/**
 * The metrics of upstream's kube-aggregator, which the alerts KubeAggregatedAPIErrors and
 * KubeAggregatedAPIDown read. The counter grows when a server becomes unavailable.
 */
export function createAvailabilityMetrics(metrics: Metrics): AvailabilityMetrics {
  const unavailable = metrics.gauge({
    name: "aggregator_unavailable_apiservice",
    help: "1 if an APIService is unavailable, 0 if it is available.",
    labels: ["name"],
  });
  const turns = metrics.counter({
    name: "aggregator_unavailable_apiservice_total",
    help: "Times that an APIService became unavailable, by reason.",
    labels: ["name", "reason"],
  });
  const reasons = new Map<string, Set<string>>();
  return {
    checked(name, { before, now }) {
      const isAvailable = now.status === "True";
      unavailable.set(isAvailable ? 0 : 1, { name });
      if (isAvailable || before?.status !== "True") return;
      // The reasons are a small fixed set of this server.
      const reason = now.reason ?? "UnknownReason";
      turns.add(1, { name, reason });
      const known = reasons.get(name) ?? new Set();
      reasons.set(name, known.add(reason));
    },
    remove(name) {
      unavailable.remove({ name });
      for (const reason of reasons.get(name) ?? []) turns.remove({ name, reason });
      reasons.delete(name);
    },
  };
}

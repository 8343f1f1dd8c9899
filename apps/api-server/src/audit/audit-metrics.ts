import type { Metrics } from "@kintsugi/api";
import type { AuditLevel } from "./audit-policy.ts";

/** Upstream's metrics of auditing. */
export interface AuditMetrics {
  level(level: AuditLevel): void;
  event(): void;
  /** Counts an event that a backend could not write or store. */
  lost(plugin: "log" | "webhook"): void;
  requestRejected(): void;
}

export function createAuditMetrics(metrics: Metrics): AuditMetrics {
  const levels = metrics.counter({
    name: "apiserver_audit_level_total",
    help: "Counter of policy levels for audit events (1 per request).",
    labels: ["level"],
  });
  const events = metrics.counter({
    name: "apiserver_audit_event_total",
    help: "Counter of audit events generated and sent to the audit backend.",
  });
  const errors = metrics.counter({
    name: "apiserver_audit_error_total",
    help: "Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.",
    labels: ["plugin"],
  });
  const rejected = metrics.counter({
    name: "apiserver_audit_requests_rejected_total",
    help: "Counter of apiserver requests rejected due to an error in audit logging backend.",
  });
  return {
    level: (level) => levels.add(1, { level }),
    event: () => events.add(1),
    lost: (plugin) => errors.add(1, { plugin }),
    requestRejected: () => rejected.add(1),
  };
}

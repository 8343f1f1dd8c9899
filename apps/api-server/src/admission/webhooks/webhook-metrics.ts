import type { Metrics } from "@kintsugi/api";

/** The outcome of one call. */
export interface WebhookOutcome {
  readonly name: string;
  /** Upstream's words for the two types. */
  readonly type: "admit" | "validating";
  readonly operation: string;
  readonly code: number;
  readonly seconds: number;
  /** Absent for a request that may continue. */
  readonly rejectedBy?: "calling_webhook_error" | "apiserver_internal_error" | "no_error" | undefined;
  /** True where the call failed and the webhook's policy ignores the failure. */
  readonly failedOpen: boolean;
}

/** Upstream's, in seconds. */
const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];

/** Measures calls of webhooks under upstream's names. */
export function createWebhookMetrics(metrics: Metrics): (outcome: WebhookOutcome) => void {
  const duration = metrics.histogram({
    name: "apiserver_admission_webhook_admission_duration_seconds",
    help: "Admission webhook latency, identified by name and broken out for each operation and type",
    labels: ["name", "type", "operation", "rejected"],
    buckets,
  });
  const requests = metrics.counter({
    name: "apiserver_admission_webhook_request_total",
    help: "Admission webhook requests, identified by name and broken out for each type, operation, code and rejection",
    labels: ["name", "type", "operation", "code", "rejected"],
  });
  const rejections = metrics.counter({
    name: "apiserver_admission_webhook_rejection_count",
    help: "Admission webhook rejections, identified by name and broken out for each type, operation, error and code",
    labels: ["name", "type", "operation", "error_type", "rejection_code"],
  });
  const failedOpen = metrics.counter({
    name: "apiserver_admission_webhook_fail_open_count",
    help: "Admission webhook calls that failed and were ignored, identified by name and broken out for each type",
    labels: ["name", "type"],
  });
  return ({ name, type, operation, code, seconds, rejectedBy, failedOpen: isOpen }) => {
    const rejected = String(rejectedBy !== undefined);
    duration.observe(seconds, { name, type, operation, rejected });
    // Upstream combines larger codes.
    const codeText = String(Math.min(code, 600));
    requests.add(1, { name, type, operation, code: codeText, rejected });
    if (isOpen) failedOpen.add(1, { name, type });
    if (rejectedBy === undefined) return;
    rejections.add(1, { name, type, operation, error_type: rejectedBy, rejection_code: codeText });
  };
}

import type { Metrics } from "@kintsugi/api";

/** The outcome of one validation of a policy, with one binding. */
export interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  readonly action: "allow" | "deny" | "audit" | "warn";
  /** The message of an expression that failed; undefined where the expression had a value. */
  readonly error: string | undefined;
  readonly seconds: number;
}

/** Upstream's, in seconds. */
const buckets = [0.000_000_5, 0.001, 0.01, 0.1, 1];

/** Measures validations of policies under upstream's names. */
export function createPolicyMetrics(metrics: Metrics): (check: PolicyCheck) => void {
  const labels = ["policy", "policy_binding", "error_type", "enforcement_action"];
  const checks = metrics.counter({
    name: "apiserver_validating_admission_policy_check_total",
    help: "Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.",
    labels,
  });
  const durations = metrics.histogram({
    name: "apiserver_validating_admission_policy_check_duration_seconds",
    help: "Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.",
    labels,
    buckets,
  });
  return ({ policy, binding, action, error, seconds }) => {
    const of = { policy, policy_binding: binding, error_type: errorType(error), enforcement_action: action };
    checks.add(1, of);
    durations.observe(seconds, of);
  };
}

/** Upstream also derives the type of an error from its message. */
function errorType(error: string | undefined): string {
  if (error === undefined) return "no_error";
  if (error.startsWith("compilation")) return "compile_error";
  return error.includes("out of cost budget") ? "out_of_budget" : "internal_error";
}

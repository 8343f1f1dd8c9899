import type { Histogram, Labels, Metrics } from "@kintsugi/api";

/** Mutating plugins change the object, and validating plugins check it. */
export type AdmissionType = "admit" | "validate";

/** Upstream's, in seconds. */
const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10];

export type AdmissionOperation = "create" | "update" | "delete" | "connect";

/** Records the duration of a step. */
export type Timing = (operation: AdmissionOperation, rejected: boolean, seconds: number) => void;

/** Measures admission under upstream's names: each plugin, and all plugins of a type. */
export class AdmissionMetrics {
  readonly #step: Histogram;
  readonly #controller: Histogram;

  constructor(metrics: Metrics) {
    this.#step = metrics.histogram({
      name: "apiserver_admission_step_admission_duration_seconds",
      help: "Admission sub-step latency, broken out for each operation and step type (validate or admit).",
      labels: ["type", "operation", "rejected"],
      buckets,
    });
    this.#controller = metrics.histogram({
      name: "apiserver_admission_controller_admission_duration_seconds",
      help: "Admission controller latency, identified by name and broken out for each operation and type.",
      labels: ["name", "type", "operation", "rejected"],
      buckets,
    });
  }

  /** Counts all steps of a type together. */
  ofStep(type: AdmissionType): Timing {
    return timing(this.#step, { type });
  }

  ofController(name: string, type: AdmissionType): Timing {
    return timing(this.#controller, { name, type });
  }
}

/**
 * Returns the same object for the same labels. Metrics recognize their labels by identity, and each
 * write is timed a dozen times.
 */
function timing(histogram: Histogram, of: Labels): Timing {
  const labelsOf = (rejected: boolean): Readonly<Record<AdmissionOperation, Labels>> => {
    const labels = (operation: string) => ({ ...of, operation, rejected: String(rejected) });
    return {
      create: labels("CREATE"),
      update: labels("UPDATE"),
      delete: labels("DELETE"),
      connect: labels("CONNECT"),
    };
  };
  const admitted = labelsOf(false);
  const refused = labelsOf(true);
  return (operation, rejected, seconds) => histogram.observe(seconds, (rejected ? refused : admitted)[operation]);
}

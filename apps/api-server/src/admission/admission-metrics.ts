import type { Histogram, Labels, Metrics } from "@kintsugi/api";

/** What plugins do: change the object, or judge it. */
export type AdmissionType = "admit" | "validate";

/** Upstream's, in seconds. */
const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10];

/** How long admission took, under upstream's names: of each plugin, and of all of one type. */
export class AdmissionMetrics {
  readonly #step: Histogram;
  readonly #controller: Histogram;
  /** The same objects for the same labels: metrics know their labels again by identity. Plugins × 4 operations × 2 × 2. */
  readonly #labels = new Map<string, Labels>();

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

  step(of: { type: AdmissionType; operation: string; rejected: boolean }, seconds: number): void {
    this.#step.observe(seconds, this.#labelsOf(of));
  }

  controller(of: { name: string; type: AdmissionType; operation: string; rejected: boolean }, seconds: number): void {
    this.#controller.observe(seconds, this.#labelsOf(of));
  }

  #labelsOf(of: { name?: string; type: AdmissionType; operation: string; rejected: boolean }): Labels {
    const key = `${of.name ?? ""} ${of.type} ${of.operation} ${of.rejected}`;
    let labels = this.#labels.get(key);
    if (labels === undefined) {
      const { name, type, rejected } = of;
      const operation = of.operation.toUpperCase();
      labels = { ...(name === undefined ? {} : { name }), type, operation, rejected: String(rejected) };
      this.#labels.set(key, labels);
    }
    return labels;
  }
}

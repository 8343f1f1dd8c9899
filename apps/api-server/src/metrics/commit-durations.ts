import { type Histogram, type Labels, type Metrics, qualifiedResource, type ResourceType } from "@kintsugi/api";
import { durationBuckets } from "./duration-buckets.ts";

export type WriteOperation = "create" | "update" | "delete";

/**
 * The time from a write to its commit on disk. Dashboards look for the store under etcd's name; the
 * store here is LevelDB.
 */
export class CommitDurations {
  readonly #seconds: Histogram;
  /**
   * The same objects for the same labels: metrics know their labels again by identity. One entry
   * for each type that is stored.
   */
  readonly #labels = new Map<ResourceType, Readonly<Record<WriteOperation, Labels>>>();

  constructor(metrics: Metrics) {
    this.#seconds = metrics.histogram({
      name: "etcd_request_duration_seconds",
      help: "Time from a write's decision to its being on disk, by operation and type of object.",
      labels: ["operation", "type"],
      buckets: durationBuckets,
    });
  }

  observe(of: { type: ResourceType; operation: WriteOperation }, seconds: number): void {
    let labels = this.#labels.get(of.type);
    if (labels === undefined) {
      const type = qualifiedResource(of.type);
      labels = {
        create: { operation: "create", type },
        update: { operation: "update", type },
        delete: { operation: "delete", type },
      };
      this.#labels.set(of.type, labels);
    }
    this.#seconds.observe(seconds, labels[of.operation]);
  }
}

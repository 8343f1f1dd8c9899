import {
  type Counter,
  type Histogram,
  type Labels,
  type Metrics,
  qualifiedResource,
  type ResourceType,
} from "@kintsugi/api";
import { durationBuckets } from "./duration-buckets.ts";

export type WriteOperation = "create" | "update" | "delete";

/** A write of one object, in upstream's label names. */
export interface MeasuredWrite {
  readonly type: ResourceType;
  readonly operation: WriteOperation;
}

/**
 * The time from a write to its commit on disk, and the number of failed writes. The metrics have
 * etcd's name because dashboards look for it; the store here is LevelDB or etcd.
 */
export class CommitDurations {
  readonly #seconds: Histogram;
  readonly #requests: Counter;
  readonly #errors: Counter;
  /**
   * One entry for each stored type. The same labels are always the same object, because metrics
   * recognize labels by identity.
   */
  readonly #labels = new Map<ResourceType, Readonly<Record<WriteOperation, Labels>>>();

  constructor(metrics: Metrics) {
    const labels = ["operation", "type"] as const;
    this.#seconds = metrics.histogram({
      name: "etcd_request_duration_seconds",
      help: "Time from the decision of a write until it is on disk, by operation and type of object.",
      labels,
      buckets: durationBuckets,
    });
    this.#requests = metrics.counter({
      name: "etcd_requests_total",
      help: "Number of writes that were decided, by operation and type of object.",
      labels,
    });
    this.#errors = metrics.counter({
      name: "etcd_request_errors_total",
      help: "Number of decided writes that the store rejected, or whose outcome is unknown.",
      labels,
    });
  }

  observe(of: MeasuredWrite, seconds: number): void {
    const labels = this.#labelsOf(of);
    this.#seconds.observe(seconds, labels);
    this.#requests.add(1, labels);
  }

  failed(of: MeasuredWrite): void {
    const labels = this.#labelsOf(of);
    this.#requests.add(1, labels);
    this.#errors.add(1, labels);
  }

  #labelsOf({ type: resource, operation }: MeasuredWrite): Labels {
    let labels = this.#labels.get(resource);
    if (labels === undefined) {
      const type = qualifiedResource(resource);
      labels = {
        create: { operation: "create", type },
        update: { operation: "update", type },
        delete: { operation: "delete", type },
      };
      this.#labels.set(resource, labels);
    }
    return labels[operation];
  }
}

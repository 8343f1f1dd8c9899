import type { WorkloadDowntime, WorkloadRef } from "@kintsugi/story";

/** A row of the table of workloads. */
export interface WorkloadRow {
  readonly workload: WorkloadRef;
  readonly wanted: number;
  readonly downtime: WorkloadDowntime;
  /** Pods that really run; undefined where only the API's view is known. */
  readonly available?: number | undefined;
}

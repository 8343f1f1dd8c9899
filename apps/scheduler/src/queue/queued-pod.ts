import type { PodInfo } from "@kintsugi/scheduling";

/** A pod that waits for its node, with the history of its attempts. Times are monotonic. */
export interface QueuedPod {
  readonly pod: PodInfo;
  /** The number of started attempts. */
  readonly attempts: number;
  /** The time at which the scheduler first saw the pod. */
  readonly addedMs: number;
  readonly firstAttemptMs: number | undefined;
  /** The time at which the pod became ready; the pod with the earliest time is first. */
  readonly readyMs: number;
  /** The tie-breaker for pods that became ready in the same millisecond. */
  readonly order: number;
  readonly failedMs: number;
  readonly backoffUntilMs: number;
  /** The plugins that rejected the pod in the last attempt. */
  readonly rejectedBy: ReadonlySet<string>;
}

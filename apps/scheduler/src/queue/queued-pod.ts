import type { PodInfo } from "@kintsugi/scheduling";

/** A pod that waits for its node, with the history of its attempts. Times are monotonic. */
export interface QueuedPod {
  readonly pod: PodInfo;
  /** Attempts begun. */
  readonly attempts: number;
  /** The time at which the scheduler first saw it. */
  readonly addedMs: number;
  readonly firstAttemptMs: number | undefined;
  /** The time since which it has been ready; earlier is first. */
  readonly readyMs: number;
  /** Decides between pods that became ready in the same millisecond. */
  readonly order: number;
  readonly failedMs: number;
  readonly backoffUntilMs: number;
  /** The plugins that rejected it in the last attempt. */
  readonly rejectedBy: ReadonlySet<string>;
}

import {
  countIndexes,
  type Counter,
  type Histogram,
  isPodTerminal,
  type Job,
  type JobCondition,
  type Metrics,
  type Pod,
  type PodFailurePolicyRule,
} from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { parseIndexes } from "./plan/indexes.ts";
import { hasTrackingFinalizer } from "./plan/job-view.ts";

/** The pass's work on pods: waiting for earlier writes to appear, no work, or a change. */
export type SyncAction = "reconciling" | "tracking" | "pods_created" | "pods_deleted";

/** One pass over a Job that is being measured. */
export interface MeasuredSync {
  action: SyncAction;
  end(result: "success" | "error"): void;
}

/**
 * Other controllers that are counted by their name. The author of a Job chooses that name, and a
 * series is never removed, so further controllers share `otherControllers`.
 */
const externalControllersMax = 100;
const otherControllers = "other";

/** Names, labels and buckets are upstream's. */
export class JobMetrics {
  readonly #clock: Clock;
  readonly #duration: Histogram;
  readonly #syncs: Counter;
  readonly #finishedJobs: Counter;
  readonly #external: Counter;
  readonly #finishedPods: Counter;
  readonly #handledFailures: Counter;
  readonly #heldPods: Counter;
  readonly #finishedIndexes: Counter;
  readonly #createdPods: Counter;
  readonly #externalNames = new Set<string>();

  constructor({ clock, metrics }: { clock: Clock; metrics: Metrics }) {
    const counter = (name: string, help: string, labels: readonly string[]) =>
      metrics.counter({ name: `job_controller_${name}`, help, labels });
    this.#clock = clock;
    const ofSync = ["completion_mode", "result", "action"];
    this.#duration = metrics.histogram({
      name: "job_controller_job_sync_duration_seconds",
      help: "The time it took to sync a job",
      labels: ofSync,
      buckets: Array.from({ length: 15 }, (_, power) => 0.004 * 2 ** power),
    });
    this.#syncs = counter("job_syncs_total", "The number of job syncs", ofSync);
    const ofJob = ["completion_mode", "result", "reason"];
    this.#finishedJobs = counter("jobs_finished_total", "The number of finished jobs", ofJob);
    this.#external = counter(
      "jobs_by_external_controller_total",
      "The number of Jobs managed by an external controller",
      ["controller_name"],
    );
    this.#finishedPods = counter("job_pods_finished_total", "The number of finished Pods that are fully tracked", [
      "completion_mode",
      "result",
    ]);
    this.#handledFailures = counter(
      "pod_failures_handled_by_failure_policy_total",
      "The number of failed Pods handled by failure policy with respect to the failure policy action applied based on the matched rule.",
      ["action"],
    );
    this.#heldPods = counter(
      "terminated_pods_tracking_finalizer_total",
      'The number of terminated pods (phase=Failed|Succeeded) that have the finalizer batch.kubernetes.io/job-tracking. The event label can be "add" or "delete".',
      ["event"],
    );
    this.#finishedIndexes = counter("job_finished_indexes_total", "The number of finished indexes", [
      "status",
      "backoffLimit",
    ]);
    this.#createdPods = counter(
      "job_pods_creation_total",
      "The number of Pods created by the Job controller labelled with a reason for the Pod creation",
      ["reason", "status"],
    );
  }

  startSync(job: Job): MeasuredSync {
    const startMs = this.#clock.monotonicMs();
    const sync: MeasuredSync = {
      action: "reconciling",
      end: (result) => {
        const labels = { completion_mode: modeOf(job), result, action: sync.action };
        this.#duration.observe((this.#clock.monotonicMs() - startMs) / 1000, labels);
        this.#syncs.add(1, labels);
      },
    };
    return sync;
  }

  /** Counts the pods and indexes that a status adds to the previously written status. */
  statusWritten(before: Job, after: Job): void {
    const completion_mode = modeOf(after);
    const { completions = 0, backoffLimitPerIndex } = after.spec ?? {};
    const added = (count: (job: Job) => number) => Math.max(0, count(after) - count(before));
    // An index that the Job no longer has is counted in neither status.
    const indexes = (text: string | undefined) => countIndexes(parseIndexes(text, completions));
    const isIndexed = completion_mode === "Indexed";
    const succeeded = added(({ status }) => (isIndexed ? indexes(status?.completedIndexes) : (status?.succeeded ?? 0)));
    const failed = added(({ status }) => status?.failed ?? 0);
    if (succeeded > 0) this.#finishedPods.add(succeeded, { completion_mode, result: "succeeded" });
    if (failed > 0) this.#finishedPods.add(failed, { completion_mode, result: "failed" });
    if (!isIndexed) return;
    const backoffLimit = backoffLimitPerIndex === undefined ? "global" : "perIndex";
    const failedIndexes = added(({ status }) => indexes(status?.failedIndexes));
    if (succeeded > 0) this.#finishedIndexes.add(succeeded, { status: "succeeded", backoffLimit });
    if (failedIndexes > 0) this.#finishedIndexes.add(failedIndexes, { status: "failed", backoffLimit });
  }

  finished(job: Job, { type, reason = "" }: JobCondition): void {
    const result = type === "Complete" ? "succeeded" : "failed";
    this.#finishedJobs.add(1, { completion_mode: modeOf(job), result, reason });
  }

  failureHandled(action: PodFailurePolicyRule["action"] | undefined): void {
    if (action !== undefined) this.#handledFailures.add(1, { action });
  }

  podsCreated(
    { spec }: Job,
    counts: { failed: number; terminating: number },
    outcome: { succeeded: number; failed: number },
  ): void {
    const reason = creationReason(spec?.podReplacementPolicy, counts);
    for (const status of ["succeeded", "failed"] as const) {
      if (outcome[status] > 0) this.#createdPods.add(outcome[status], { reason, status });
    }
  }

  /** Counts a terminated pod that has the finalizer from now on, or that no longer has it. */
  podChanged(before: Pod | undefined, after: Pod | undefined): void {
    const [was, is] = [isHeld(before), isHeld(after)];
    if (was !== is) this.#heldPods.add(1, { event: is ? "add" : "delete" });
  }

  managedElsewhere(controller: string): void {
    const names = this.#externalNames;
    if (names.size < externalControllersMax) names.add(controller);
    this.#external.add(1, { controller_name: names.has(controller) ? controller : otherControllers });
  }
}

function modeOf({ spec }: Job): string {
  return spec?.completionMode ?? "NonIndexed";
}

function isHeld(pod: Pod | undefined): boolean {
  return pod !== undefined && isPodTerminal(pod) && hasTrackingFinalizer(pod);
}

function creationReason(policy: string | undefined, { failed, terminating }: { failed: number; terminating: number }) {
  if (policy === "Failed" && failed > 0) return "recreate_failed";
  return failed > 0 || terminating > 0 ? "recreate_terminating_or_failed" : "new";
}

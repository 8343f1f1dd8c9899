import {
  type CronJob,
  cronJobs,
  type CronJobStatus,
  type Histogram,
  isApiError,
  isControlledBy,
  type Job,
  jobs,
  parseKey,
  sameJson,
  messageOf,
} from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { isNamespaceTerminating } from "../../shared/writes/write-outcome.ts";
import { type CronJobNote, jobNameOf } from "@kintsugi/rules";
import { newJob } from "./new-job.ts";
import { type CronJobPlan, planCronJob, withoutActive, withStarted } from "./plan-cron-job.ts";

/**
 * Longest interval between two passes. Timers and schedules use different clocks, so a machine that
 * slept, or whose clock was set, would otherwise start its Jobs late.
 */
const waitMaxMs = 600_000;

// The order of the writes makes each time of a schedule run once:
//
//   1  the status lists every existing Job          a later pass never starts a Job for its time
//   2  old Jobs are removed
//   3  the Job is created, under a name per minute   the server rejects the second of two tries
//   4  the status lists it
//
// A controller that is killed between 3 and 4 finds the Job in 1, by its annotation.

export class CronJobReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #skew: Histogram;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#skew = context.metrics.histogram({
      name: "cronjob_controller_cronjob_job_creation_skew_duration_seconds",
      help: "Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
      buckets: Array.from({ length: 10 }, (_, power) => 2 ** power),
    });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, clock, informers } = this.#context;
    const cached = informers.of(cronJobs).find(parseKey(key));
    if (cached === undefined) return done;
    const first = planCronJob(cached, this.#owned(cached), clock.nowMs());
    if (isIdle(cached, first)) return this.#waitFor(first);
    // The cache may be older than the last Job that was started, and that Job must not be created
    // again.
    const live = await client.find(cronJobs, parseKey(key), { signal });
    if (live === undefined || live.metadata.uid !== cached.metadata.uid) return done;
    const owned = await this.#withLive(live, this.#owned(live), signal);
    const plan = planCronJob(live, owned, clock.nowMs());
    await this.#act(live, plan, signal);
    return this.#waitFor(plan);
  }

  #owned({ metadata }: CronJob): readonly Job[] {
    return this.#context.informers.of(jobs).byIndex("controller", metadata.uid ?? "");
  }

  /** Adds the active Jobs that the cache does not contain yet. */
  async #withLive({ status, metadata }: CronJob, owned: readonly Job[], signal: AbortSignal): Promise<Job[]> {
    const known = new Set(owned.map((job) => job.metadata.uid));
    const all = [...owned];
    for (const { uid, name = "" } of status?.active ?? []) {
      if (known.has(uid)) continue;
      const job = await this.#context.client.find(jobs, { namespace: metadata.namespace ?? "", name }, { signal });
      if (job !== undefined && job.metadata.uid === uid) all.push(job);
    }
    return all;
  }

  async #act(cronJob: CronJob, plan: CronJobPlan, signal: AbortSignal): Promise<void> {
    let current = await this.#writeStatus(cronJob, plan.status);
    for (const note of plan.notes) this.#record(cronJob, note);
    for (const { metadata } of plan.remove) await this.#delete(cronJob, metadata);
    if (plan.startMs === undefined) return;
    for (const reference of plan.replace) await this.#delete(cronJob, reference);
    const status = withoutActive(plan.status, new Set(plan.replace.map(({ uid }) => uid)));
    if (plan.replace.length > 0) current = await this.#writeStatus(current, status);
    const job = await this.#start(current, plan.startMs, signal);
    if (job !== undefined) await this.#writeStatus(current, withStarted(status, job, plan.startMs));
  }

  /** Returns the Job of this time; undefined if it cannot be created. */
  async #start(cronJob: CronJob, startMs: number, signal: AbortSignal): Promise<Job | undefined> {
    const { client, clock } = this.#context;
    const { namespace = "" } = cronJob.metadata;
    const name = jobNameOf(cronJob, startMs);
    try {
      const created = await client.create(jobs, newJob(cronJob, startMs), { signal });
      this.#skew.observe((clock.nowMs() - startMs) / 1000);
      this.#record(cronJob, { type: "Normal", reason: "SuccessfulCreate", message: `Created job ${name}` });
      return created;
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      if (!isApiError(error, "AlreadyExists")) {
        const message = `Error creating job: ${messageOf(error)}`;
        this.#record(cronJob, { type: "Warning", reason: "FailedCreate", message });
        throw error;
      }
    }
    // An earlier try or another leader has started the Job; a Job of another owner is left
    // unchanged.
    const existing = await client.find(jobs, { namespace, name }, { signal });
    return existing !== undefined && isControlledBy(existing, cronJob) ? existing : undefined;
  }

  async #delete(cronJob: CronJob, job: { name?: string | undefined; uid?: string | undefined }): Promise<void> {
    const { name = "", uid = "" } = job;
    const { namespace = "" } = cronJob.metadata;
    try {
      const options = { propagationPolicy: "Background", preconditions: { uid } } as const;
      await this.#context.client.delete(jobs, { namespace, name }, options);
    } catch (error) {
      if (isApiError(error, "NotFound", "Conflict")) return;
      const message = `Deleted job: ${messageOf(error)}`;
      this.#record(cronJob, { type: "Warning", reason: "FailedDelete", message });
      throw error;
    }
    this.#record(cronJob, { type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${name}` });
  }

  async #writeStatus(cronJob: CronJob, status: CronJobStatus): Promise<CronJob> {
    if (sameJson(status, cronJob.status ?? {})) return cronJob;
    return this.#context.client.update(cronJobs, { ...cronJob, status }, { subresource: "status" });
  }

  #record(cronJob: CronJob, note: CronJobNote): void {
    this.#context.recordEvent({ about: referenceTo(cronJobs, cronJob), ...note });
  }

  #waitFor({ nextMs }: CronJobPlan): ReconcileResult {
    if (nextMs === undefined) return done;
    const leftMs = Math.max(1, nextMs - this.#context.clock.nowMs());
    // A pass before the scheduled time only detects a clock that has jumped.
    return leftMs > waitMaxMs ? { retryAfterMs: waitMaxMs, kind: { routineForMs: leftMs } } : { retryAfterMs: leftMs };
  }
}

/** Nothing has to be written, and no event has to be recorded. */
function isIdle({ status = {} }: CronJob, plan: CronJobPlan): boolean {
  const { notes, remove, startMs } = plan;
  return notes.length === 0 && remove.length === 0 && startMs === undefined && sameJson(plan.status, status);
}

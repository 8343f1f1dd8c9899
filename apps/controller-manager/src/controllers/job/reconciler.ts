import {
  isJobFinished,
  type Job,
  type JobCondition,
  jobControllerName,
  jobs,
  jobTrackingFinalizer,
  type JobStatus,
  parseKey,
  type Pod,
  pods,
  sameJson,
} from "@kintsugi/api";
import { done, type Expectations, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { Claimer } from "../../shared/owners/claimer.ts";
import { generatedName } from "../../shared/writes/generated-name.ts";
import type { JobMemory } from "./job-memory.ts";
import type { JobMetrics, MeasuredSync, SyncAction } from "./job-metrics.ts";
import type { JobWriter } from "./job-writer.ts";
import { nextFailures, noFailures } from "@kintsugi/rules";
import { countPods, type JobCounts } from "./plan/count-pods.ts";
import { jobPodNamePrefix } from "./plan/job-pod.ts";
import { deadlineMs, planEnd, planSuccess } from "./plan/plan-end.ts";
import { type PodPlan, planPods } from "./plan/plan-pods.ts";
import { planSuspension, planTracking, type PodOutcome, settleStatus } from "./plan/plan-status.ts";
import { isPodFailed, isTracked, type JobView, viewJob } from "./plan/job-view.ts";

export interface JobReconcilerDeps {
  context: ControllerContext;
  expectations: Expectations;
  memory: JobMemory;
  metrics: JobMetrics;
  writer: JobWriter;
}

/** One pass over a Job. */
interface Pass {
  key: string;
  view: JobView;
  counts: JobCounts;
  /** The cached pods contain every write of this process, so that they may be counted. */
  mayCount: boolean;
  sync: MeasuredSync;
  signal: AbortSignal;
}

interface Written extends Omit<PodOutcome, "isCurrent"> {
  end: JobCondition | undefined;
  /** The pods were managed in this pass, so the Job's suspension is in effect. */
  managed: boolean;
  retryAfterMs?: number | undefined;
  error?: Error | undefined;
}

/** Runs the pods of a Job, and counts each pod that ends exactly once. */
export class JobReconciler implements Reconciler {
  readonly #deps: JobReconcilerDeps;
  readonly #claimer: Claimer<Pod>;

  constructor(deps: JobReconcilerDeps) {
    this.#deps = deps;
    this.#claimer = new Claimer(deps.context.client, {
      ownerType: jobs,
      type: pods,
      mayChange: ({ metadata }) => metadata.deletionTimestamp === undefined,
      finalizer: jobTrackingFinalizer,
    });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { context, expectations, memory, metrics } = this.#deps;
    const cached = context.informers.of(jobs).find(parseKey(key));
    if (cached === undefined || isJobFinished(cached)) {
      expectations.reset(key);
      memory.forget(key);
      return done;
    }
    if ((cached.spec?.managedBy ?? jobControllerName) !== jobControllerName) return done;
    const job = memory.newest(key, cached);
    // The cache does not show yet that the Job is finished.
    if (isJobFinished(job)) return done;
    const sync = metrics.startSync(job);
    try {
      const result = await this.#sync(key, { job, sync }, signal);
      sync.end("success");
      return result;
    } catch (error) {
      sync.end("error");
      throw error;
    }
  }

  async #sync(
    key: string,
    { job, sync }: { job: Job; sync: MeasuredSync },
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { context, expectations, memory } = this.#deps;
    const expected = expectations.state(key);
    const mustAsk = expected.state === "expired" || memory.isInDoubt(key, context.informers.of(pods).position());
    // This value is read before the pods, because the list of pods lacks the changes that the cache
    // receives a moment later.
    const released = new Set(memory.get(key)?.released);
    const candidates = mustAsk ? await this.#listLive(key, job, signal) : this.#cached(job);
    const owned = await this.#claimer.claim({ owner: job, selector: job.spec?.selector }, candidates, signal);
    const view = viewJob({ job, pods: owned, released }, context.clock.nowMs());
    const mayCount = mustAsk || expected.state === "fulfilled";
    const pass = { key, view, counts: countPods(view), mayCount, sync, signal };
    const written = await this.#writePods(pass);
    await this.#track(pass, written);
    if (written.error) throw written.error;
    const waits = [
      // A Job that ends is woken by its pods.
      planEnd(view, pass.counts) === undefined ? deadlineMs(view) : undefined,
      expected.state === "pending" && !mustAsk ? expected.expiresInMs : undefined,
      written.retryAfterMs,
    ].filter((wait) => wait !== undefined);
    return waits.length === 0 ? done : { retryAfterMs: Math.min(...waits) };
  }

  #cached({ metadata }: Job): Pod[] {
    const informer = this.#deps.context.informers.of(pods);
    const { namespace = "", uid = "" } = metadata;
    return [...informer.byIndex("controller", uid), ...informer.byIndex("orphan", namespace)];
  }

  /** Lists the pods from the server, which settles all expectations. */
  async #listLive(key: string, { metadata }: Job, signal: AbortSignal): Promise<Pod[]> {
    const { context, expectations, memory } = this.#deps;
    const { namespace = "" } = metadata;
    const { items, resourceVersion } = await context.client.list(pods, { namespace, signal });
    expectations.reset(key);
    memory.listed(key, Number(resourceVersion), new Set(items.map((pod) => pod.metadata.name ?? "")));
    return items;
  }

  async #writePods(pass: Pass): Promise<Written> {
    const { view, counts, mayCount } = pass;
    const end = planEnd(view, counts);
    if (end !== undefined) return this.#endPods(pass, end);
    const { completions = 1 } = view.spec;
    const isDeleting = view.job.metadata.deletionTimestamp !== undefined;
    const managed = mayCount && !isDeleting;
    const written = managed ? await this.#managePods(pass) : { deleted: [], created: 0 };
    const active = view.active.length - written.deleted.length + written.created;
    // The first success ends a work queue.
    const isComplete = active === 0 && counts.succeeded >= completions;
    return isComplete
      ? { ...written, end: planSuccess(view), managed: false }
      : { ...written, end: undefined, managed };
  }

  /** The Job has ended, so pods that still run are stopped. */
  async #endPods({ view, mayCount }: Pass, end: JobCondition): Promise<Written> {
    const { done: deleted, error } = await this.#deps.writer.end(view.job, view.active);
    // Pods may exist that the cache does not contain yet, or that could not be deleted.
    const isCertain = mayCount && deleted.length === view.active.length;
    return { end: isCertain ? end : undefined, managed: false, deleted, created: 0, error };
  }

  async #managePods(pass: Pass): Promise<Omit<Written, "end" | "managed">> {
    const { key, view, counts, sync, signal } = pass;
    const { context, memory, metrics, writer } = this.#deps;
    const { job } = view;
    const plan = planPods(view, counts, this.#failures(pass));
    sync.action = actionOf(plan, view);
    if (plan.remove.length > 0) {
      const { done: deleted, error } = await writer.remove(job, key, plan.remove);
      if (error) memory.doubt(key, memory.get(key)?.unsettled ?? []);
      return { deleted, created: 0, error };
    }
    if (plan.create.length === 0) return { deleted: [], created: 0, retryAfterMs: plan.retryAfterMs };
    // Names with another index cannot be used again, so only the live list settles them.
    const oldNames = plan.create[0] === undefined ? [...(memory.get(key)?.unsettled ?? [])] : [];
    const informer = context.informers.of(pods);
    const { namespace = "" } = job.metadata;
    const drawn = new Set(oldNames);
    const isTaken = (name: string) => drawn.has(name) || informer.find({ namespace, name }) !== undefined;
    const newName = (index: number | undefined) => {
      const name = generatedName(jobPodNamePrefix(job, index), { random: context.random, isTaken });
      drawn.add(name);
      return name;
    };
    const wanted = plan.create.map((index) => ({
      index,
      name: oldNames.shift() ?? newName(index),
      replaced: index === undefined ? undefined : counts.toReplace.get(index),
    }));
    const result = await writer.create(job, { key, wanted }, signal);
    metrics.podsCreated(
      job,
      { failed: counts.failed, terminating: view.terminating.length },
      { succeeded: result.done.length, failed: result.failed },
    );
    if (result.unsettled.length > 0) memory.doubt(key, result.unsettled);
    else memory.settled(key);
    return { deleted: [], created: result.done.length, error: result.error, retryAfterMs: plan.retryAfterMs };
  }

  /** The Job's consecutive failures, including failures that are not in its status yet. */
  #failures({ key, view, counts }: Pass) {
    const before = this.#deps.memory.get(key)?.failures ?? this.#failuresBefore(view);
    return nextFailures(before, counts.newSucceeded, counts.newFailed);
  }

  /** The pods that are already counted show the failures before a restart of this process. */
  #failuresBefore(view: JobView) {
    const counted = view.pods.filter((pod) => !isTracked(view, pod));
    const succeeded = counted.filter(({ status }) => status?.phase === "Succeeded");
    const failed = counted.filter((pod) => isPodFailed(pod, view.spec));
    return nextFailures(noFailures, succeeded, failed);
  }

  async #track(pass: Pass, written: Written): Promise<void> {
    const { key, view, counts } = pass;
    const { memory, metrics, writer } = this.#deps;
    const failures = this.#failures(pass);
    const suspension = planSuspension(view, written.managed);
    const started = { ...view, status: suspension.status };
    const tracking = planTracking(started, counts, {
      end: written.end,
      outcome: { ...written, isCurrent: pass.mayCount },
    });
    let { job } = view;
    if (!sameJson(tracking.status, view.status)) job = await this.#writeStatus(key, job, tracking.status);
    memory.setFailures(key, failures);
    if (suspension.note) writer.note(job, suspension.note);

    const { done: gone, error } = await writer.release(tracking.release, (pod) => {
      memory.released(key, pod.metadata.uid ?? "");
      metrics.failureHandled(tracking.actions.get(pod));
    });
    const released = new Set(gone.map(({ metadata }) => metadata.uid ?? ""));
    const settled = settleStatus(tracking.status, { view, tracking, released });
    if (!sameJson(settled.status, tracking.status)) job = await this.#writeStatus(key, job, settled.status);
    if (settled.finished) this.#recordEnd(job, settled.finished);
    if (error) throw error;
  }

  async #writeStatus(key: string, job: Job, status: JobStatus): Promise<Job> {
    const { context, memory, metrics } = this.#deps;
    const written = await context.client.update(jobs, { ...job, status }, { subresource: "status" });
    metrics.statusWritten(job, written);
    memory.wrote(key, written);
    return written;
  }

  #recordEnd(job: Job, finished: JobCondition): void {
    const { metrics, writer } = this.#deps;
    const { type, reason = "", message = "" } = finished;
    metrics.finished(job, finished);
    if (type !== "Complete") return writer.warn(job, { reason, message });
    const { completions = Infinity } = job.spec ?? {};
    if ((job.status?.succeeded ?? 0) > completions) {
      const text = "Too many succeeded pods running after completion count reached";
      writer.warn(job, { reason: "TooManySucceededPods", message: text });
    }
    writer.note(job, { reason: "Completed", message: "Job completed" });
  }
}

/** A suspended Job counts as a Job whose pods are deleted, even without pods. */
function actionOf({ remove, create }: PodPlan, { spec }: JobView): SyncAction {
  if (remove.length > 0 || spec.suspend === true) return "pods_deleted";
  return create.length > 0 ? "pods_created" : "tracking";
}

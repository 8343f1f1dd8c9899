import { strict as assert } from "node:assert";
import type { Histogram, Logger, Metrics } from "@kintsugi/api";
import { type Clock, jittered, onAbort, type Random, type Timer, untilAborted, type TimerKind } from "@kintsugi/clock";
import { Listeners } from "../../base/listeners.ts";
import { type BoundPod, isDeleting } from "../../model/bound-pod.ts";
import type { PodIdentity } from "../../runtime/observation/container-events.ts";
import { effectiveGraceSeconds } from "./grace-period.ts";
import { mustBeCleared, type PodInWork, type PodRoster } from "./pod-roster.ts";
import type { PodSync, Termination } from "./pod-sync.ts";

export interface PodWorkersOptions {
  /**
   * Interval at which a pod without events is synced (`--sync-frequency`), plus up to half of it.
   * Default 1 min.
   */
  resyncIntervalMs: number;
  /** The wait after an error, plus up to half of it. Default 10 s. */
  errorBackoffMs: number;
}

export interface PodWorkersDeps {
  sync: PodSync;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /** Maintained by the workers, read by other parts. */
  roster: Pick<PodRoster, "add" | "remove">;
}

const jitterFactor = 0.5;

/**
 * The phases of a worker. It never returns to an earlier phase, even if the API's pod changes
 * later:
 *
 *   syncing ── deleted, removed, ended or killed ──► terminating ── nothing runs ──► terminated
 *                              deletion was requested: release the object              │
 *                              removed from the API: remove the rest                   ▼
 *                                                                                 (forgotten)
 */
interface Worker extends PodInWork {
  readonly identity: PodIdentity;
  pod: BoundPod | undefined;
  phase: PodInWork["phase"];
  /** The API no longer has the pod. */
  isGone: boolean;
  graceSeconds: number | undefined;
  verdict: Termination["verdict"];
  isDirty: boolean;
  isBusy: boolean;
  isCleared: boolean;
  /**
   * Aborts the step in progress, because a newer change replaces it. Steps share the signal until
   * that change, because most steps only read.
   */
  step: AbortController;
  hasSynced: boolean;
  timer: Timer | undefined;
}

/** One serial worker per pod UID. A wait for one pod never delays another pod. */
export class PodWorkers {
  readonly #deps: PodWorkersDeps;
  readonly #options: PodWorkersOptions;
  readonly #workers = new Map<string, Worker>();
  readonly #stepSeconds: Histogram;
  readonly #forgotten = new Listeners<string>();
  #signal: AbortSignal | undefined;

  constructor(deps: PodWorkersDeps, options: PodWorkersOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#stepSeconds = deps.metrics.histogram({
      name: "kubelet_pod_worker_duration_seconds",
      help: "Duration in seconds to sync a single pod. Broken down by operation type: create, update, or sync",
      labels: ["operation_type"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    });
  }

  /** Passes the current pod in the API to its worker. */
  update(pod: BoundPod): void {
    const worker = this.#workerFor(identityOf(pod));
    worker.pod = pod;
    if (isDeleting(pod)) this.#terminate(worker, undefined);
    this.#wake(worker);
  }

  /**
   * Stores the current pod in the API, where no field changed on which a worker would have to act.
   */
  remember(pod: BoundPod): void {
    const worker = this.#workers.get(pod.metadata.uid);
    if (!worker) return this.update(pod);
    worker.pod = pod;
    if (mustBeCleared(worker)) this.#wake(worker);
  }

  /** Ends the pod, because the API no longer has it; `pod` is its last state. */
  removed(pod: BoundPod): void {
    const worker = this.#workers.get(pod.metadata.uid);
    if (!worker) return;
    worker.pod = pod;
    worker.isGone = true;
    this.#deps.sync.vacate(pod.metadata.uid);
    this.#terminate(worker, undefined);
    this.#wake(worker);
  }

  /** Ends a pod on the kubelet's own decision: it is Failed, for this reason. */
  kill(uid: string, verdict: NonNullable<Termination["verdict"]>, graceSeconds?: number): void {
    const worker = this.#workers.get(uid);
    if (!worker || worker.phase !== "syncing") return;
    worker.verdict = verdict;
    this.#terminate(worker, graceSeconds);
    this.#wake(worker);
  }

  /** Aborts the current step and syncs the pod again. */
  overtake(uid: string): void {
    const worker = this.#workers.get(uid);
    if (!worker || worker.phase !== "syncing") return;
    worker.step.abort(new Overtaken());
    this.#wake(worker);
  }

  /** Removes the containers and sandboxes of a pod that the API does not have. */
  removeUnknown(identity: PodIdentity): void {
    const known = this.#workers.get(identity.uid);
    if (known?.pod) return;
    const worker = this.#workerFor(identity);
    worker.isGone = true;
    enter(worker, "terminated");
    this.#wake(worker);
  }

  wake(uid: string): void {
    const worker = this.#workers.get(uid);
    if (worker) this.#wake(worker);
  }

  /** Calls `handler` with the uid of every pod that exists neither in the API nor on the node. */
  onForgotten(handler: (uid: string) => void): void {
    this.#forgotten.add(handler);
  }

  /**
   * Works until the signal aborts, and then waits for syncs in progress. Containers continue to
   * run.
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const worker of this.#workers.values()) this.#drive(worker);
    await untilAborted(signal);
    for (const worker of this.#workers.values()) {
      worker.timer?.cancel();
      worker.step.abort(signal.reason);
    }
  }

  #workerFor(identity: PodIdentity): Worker {
    const known = this.#workers.get(identity.uid);
    if (known) return known;
    const worker: Worker = {
      identity,
      pod: undefined,
      phase: "syncing",
      isGone: false,
      graceSeconds: undefined,
      verdict: undefined,
      isDirty: false,
      isBusy: false,
      isCleared: false,
      step: new AbortController(),
      hasSynced: false,
      timer: undefined,
    };
    this.#workers.set(identity.uid, worker);
    this.#deps.roster.add(identity.uid, worker);
    return worker;
  }

  /**
   * Leaves syncing forever. Work in progress for another reason, or with a longer grace period, is
   * aborted.
   */
  #terminate(worker: Worker, requestedSeconds: number | undefined): void {
    if (!worker.pod || worker.phase === "terminated") return;
    const graceSeconds = effectiveGraceSeconds(worker.pod, worker.graceSeconds, requestedSeconds);
    const shorter = worker.graceSeconds !== undefined && graceSeconds < worker.graceSeconds;
    worker.graceSeconds = graceSeconds;
    if (worker.phase === "syncing" || shorter) worker.step.abort(new Overtaken());
    enter(worker, "terminating");
  }

  #wake(worker: Worker): void {
    worker.isDirty = true;
    this.#drive(worker);
  }

  #drive(worker: Worker): void {
    if (worker.isBusy || !worker.isDirty || !this.#signal || this.#signal.aborted) return;
    worker.isBusy = true;
    void this.#work(worker, this.#signal).finally(() => {
      worker.isBusy = false;
      this.#drive(worker);
    });
  }

  async #work(worker: Worker, signal: AbortSignal): Promise<void> {
    worker.isDirty = false;
    worker.timer?.cancel();
    if (worker.step.signal.aborted) worker.step = new AbortController();
    const { step } = worker;
    const stopListening = onAbort(signal, () => step.abort(signal.reason));
    try {
      const look = await this.#step(worker, step.signal);
      if (look !== undefined) this.#wakeLater(worker, look.afterMs, look.kind);
    } catch (error) {
      if (signal.aborted) return;
      if (step.signal.aborted) {
        worker.isDirty = true;
        return;
      }
      const { namespace, name } = worker.identity;
      this.#deps.log.warn("pod not synced", { pod: `${namespace}/${name}`, phase: worker.phase, error });
      this.#wakeLater(worker, jittered(this.#deps.random, this.#options.errorBackoffMs, jitterFactor));
    } finally {
      stopListening();
    }
  }

  /** Resolves with the time of the next inspection; undefined when only a change can matter. */
  async #step(worker: Worker, signal: AbortSignal): Promise<NextLook | undefined> {
    const { sync } = this.#deps;
    const { pod, identity } = worker;
    const { uid } = identity;
    assert(worker.isBusy, `the worker of ${uid} is at one step at a time`);
    assert(this.#workers.get(uid) === worker, `the worker of ${uid} still exists`);
    assert(pod === undefined || pod.metadata.uid === uid, `the worker of ${uid} serves only that pod`);
    if (worker.phase === "syncing" && pod) {
      const startedMs = this.#deps.clock.monotonicMs();
      const outcome = await sync.sync(pod, signal);
      // The first sync of a pod is its creation, or its adoption after a restart of the kubelet.
      const operation = worker.hasSynced ? "sync" : "create";
      worker.hasSynced = true;
      this.#stepSeconds.observe((this.#deps.clock.monotonicMs() - startedMs) / 1000, { operation_type: operation });
      if (!outcome.ended) {
        const resyncMs = jittered(this.#deps.random, this.#options.resyncIntervalMs, jitterFactor);
        const { retryAfterMs = Infinity } = outcome;
        return retryAfterMs < resyncMs ? { afterMs: retryAfterMs } : { afterMs: resyncMs, kind: "routine" };
      }
      enter(worker, "terminating");
    }
    if (worker.phase === "terminating" && pod) {
      const graceSeconds = effectiveGraceSeconds(pod, worker.graceSeconds, undefined);
      await sync.terminate(pod, { graceSeconds, verdict: worker.verdict }, signal);
      enter(worker, "terminated");
    }
    if (mustBeCleared(worker)) {
      await sync.clear(identity, signal);
      worker.isCleared = true;
    }
    if (worker.pod && isDeleting(worker.pod) && !worker.isGone) sync.release(worker.pod);
    if (worker.isGone || (worker.pod && isDeleting(worker.pod))) await sync.remove(identity, signal);
    if (worker.isGone) {
      sync.forget(identity.uid);
      // A wake-up in the meantime was for a pod that no longer exists. Its uid may get another
      // worker, from which this worker must not remove anything.
      worker.isDirty = false;
      this.#workers.delete(identity.uid);
      this.#deps.roster.remove(identity.uid);
      this.#forgotten.emit(identity.uid);
    }
    return undefined;
  }

  #wakeLater(worker: Worker, delayMs: number, kind?: TimerKind): void {
    if (this.#workers.get(worker.identity.uid) !== worker) return;
    worker.timer?.cancel();
    worker.timer = this.#deps.clock.after(delayMs, () => this.#wake(worker), kind);
  }
}

/** The next inspection of a pod for which previously only a change could matter. */
interface NextLook {
  readonly afterMs: number;
  readonly kind?: TimerKind;
}

/** The phases, in the only possible order. */
const phases: readonly Worker["phase"][] = ["syncing", "terminating", "terminated"];

function enter(worker: Worker, phase: Worker["phase"]): void {
  const isBack = phases.indexOf(phase) < phases.indexOf(worker.phase);
  assert(!isBack, `the pod ${worker.identity.uid} does not go back from ${worker.phase} to ${phase}`);
  worker.phase = phase;
}

/** The reason with which a step is aborted when a newer change replaces it. */
class Overtaken extends Error {
  override readonly name = "Overtaken";
}

function identityOf(pod: BoundPod): PodIdentity {
  const { uid, name, namespace } = pod.metadata;
  return { uid, name, namespace };
}

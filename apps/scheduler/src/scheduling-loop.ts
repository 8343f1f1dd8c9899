import { formatKey, isPodBound, keyOf, type Logger, type Pod, type PodDisruptionBudget, pods } from "@kintsugi/api";
import type { Client, EventRecorder } from "@kintsugi/client";
import { type Clock, jittered, type Random } from "@kintsugi/clock";
import {
  type ClusterState,
  decide,
  type Decision,
  explainPreemption,
  explainRejection,
  idleClaimOf,
  isUnfinished,
  planPreemption,
  planReservation,
  type Plugin,
  type PodInfo,
  podInfoOf,
  type PreemptionPlan,
  type Rejections,
  type Reservation,
  type Timed,
} from "@kintsugi/scheduling";
import { AttemptReporter } from "./attempt-reporter.ts";
import { bind } from "./binding/bind.ts";
import { Confirmations } from "./binding/confirmations.ts";
import { InFlight } from "./binding/in-flight.ts";
import { deallocateClaim, prepareDevices, unreserveDevices } from "./binding/prepare-devices.ts";
import { prepareVolumes } from "./binding/prepare-volumes.ts";
import { Preemptor } from "./preemption/preemptor.ts";
import type { QueuedPod } from "./queue/queued-pod.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";

/** Limit of concurrent bindings and status writes: as many as the client has connections. */
const writesInFlightMax = 32;
/**
 * Number of consecutive decisions, and their longest time, after which other work gets its turn.
 */
const decisionsPerTurn = 16;
const turnMs = 50;
/** The wait between two tries to determine the outcome of a binding. */
const settleRetryMs = 1_000;

export interface SchedulingLoopDeps {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: SchedulerMetrics;
  events: EventRecorder;
  state: ClusterState;
  queue: SchedulingQueue;
  plugins: readonly Plugin[];
  /** The existing PodDisruptionBudgets. */
  budgets: () => readonly PodDisruptionBudget[];
}

type Decided = Extract<Decision, { placed: false }> | (Extract<Decision, { placed: true }> & Reserved);

interface Reserved {
  /** The objects to write before the pod is bound. */
  readonly reservation: Reservation | undefined;
}

/** A pod that is being placed on a node. */
interface Placing extends Reserved {
  readonly nodeName: string;
  readonly startedMs: number;
}

/**
 * Number of attempts without an event for a pod whose devices cost more than the budget of one
 * decision: enough for about 100,000 devices. A claim whose search never ends delays the other pods
 * by no more than these attempts.
 */
const unfinishedAttemptsMax = 30;

/**
 * Takes the next pod, decides, assumes the decision and binds. Decisions are made one after the
 * other, each based on the earlier decisions. The resulting bindings run concurrently.
 */
export class SchedulingLoop {
  readonly #deps: SchedulingLoopDeps;
  readonly #writes = new InFlight(writesInFlightMax);
  /**
   * Pods whose volumes are being bound. Each uses resources on a node, which limits their number.
   */
  readonly #preparations = new InFlight(Number.POSITIVE_INFINITY);
  readonly #confirmations: Confirmations;
  readonly #preemptor: Preemptor;
  readonly #reporter: AttemptReporter;
  #signal: AbortSignal = AbortSignal.abort();

  constructor(deps: SchedulingLoopDeps) {
    this.#deps = deps;
    this.#preemptor = new Preemptor(deps);
    this.#reporter = new AttemptReporter(deps);
    this.#confirmations = new Confirmations(deps.clock, (queued) => this.#writes.add(this.#settle(queued, () => {})));
  }

  /** Schedules until the signal aborts, then waits for the writes in progress. */
  async run(signal: AbortSignal): Promise<void> {
    const { queue, state, metrics, clock } = this.#deps;
    this.#signal = signal;
    state.onAssumptionEnd((uid) => this.#confirmations.confirm(uid));
    let spentMs = 0;
    for (let decisions = 1; !signal.aborted; decisions++) {
      metrics.sizes(queue, state);
      await queue.waitUntilReady(signal).catch(() => {});
      await this.#writes.waitForRoom();
      if (signal.aborted) break;
      const next = queue.pop();
      if (next !== undefined) spentMs += this.#spend(next);
      if (decisions % decisionsPerTurn !== 0 && spentMs < turnMs) continue;
      spentMs = 0;
      await clock.nextTurn();
    }
    this.#confirmations.stop();
    await this.#preparations.settled();
    await this.#writes.settled();
  }

  /** Tries a pod, and charges its namespace for the time. @returns the time that it took. */
  #spend(queued: QueuedPod): number {
    const { queue, clock } = this.#deps;
    const startedMs = clock.monotonicMs();
    this.#attempt(queued);
    const tookMs = clock.monotonicMs() - startedMs;
    queue.spent(queued, tookMs);
    return tookMs;
  }

  /**
   * Tries one pod. No other code runs from here until the pod is assumed, so all plugins see the
   * same state.
   */
  #attempt(queued: QueuedPod): void {
    const { state, clock, metrics } = this.#deps;
    const { pod } = queued;
    if (state.nodeOf(pod.uid) !== undefined) return;
    const startedMs = clock.monotonicMs();
    const decision = this.#decide(pod);
    metrics.decided(clock.monotonicMs() - startedMs);
    if (decision instanceof Error) {
      metrics.attempted("error", clock.monotonicMs() - startedMs);
      this.#endNomination(pod);
      this.#deps.queue.putFailed(queued);
      this.#reportFailure(pod, { reason: "SchedulerError", message: decision.message, nominatedNode: "" });
    } else if (decision.placed) {
      if (state.nominatedNode(pod.uid) !== decision.node) this.#endNomination(pod);
      this.#place(queued, { nodeName: decision.node, startedMs, reservation: decision.reservation });
    } else {
      metrics.attempted("unschedulable", clock.monotonicMs() - startedMs);
      this.#reject(queued, decision.rejections);
    }
  }

  /**
   * Binds the pod when its volumes are bound in time. The wait for volumes does not delay other
   * pods.
   */
  #place(queued: QueuedPod, placing: Placing): void {
    const { state } = this.#deps;
    const { nodeName, reservation } = placing;
    state.assume(queued.pod, nodeName);
    if (reservation === undefined) {
      this.#writes.add(this.#bind(queued, placing));
      return;
    }
    state.storage.reserve(reservation);
    state.devices.reserve(reservation.devices ?? []);
    this.#preparations.add(this.#prepare(queued, { ...placing, reservation }));
  }

  async #prepare(queued: QueuedPod, placing: Placing & { reservation: Reservation }): Promise<void> {
    const { state, clock, log, metrics } = this.#deps;
    const { nodeName, startedMs, reservation } = placing;
    const { pod } = queued;
    const preparedFromMs = clock.monotonicMs();
    const fault = await this.#preBind(pod, reservation);
    metrics.extensionPoint("PreBind", fault === undefined ? "Success" : "Error", clock.monotonicMs() - preparedFromMs);
    if (this.#signal.aborted) return;
    if (fault === undefined) return this.#bind(queued, placing);
    state.storage.release(reservation);
    this.#releaseDevices(pod, reservation);
    // The pod was removed in the meantime.
    if (!state.isAssumed(pod.uid)) return;
    log.warn("volumes or devices not bound", { pod: pod.key, node: nodeName, because: fault });
    metrics.attempted("error", clock.monotonicMs() - startedMs);
    this.#takeBack(queued, pod.pod);
    this.#reportFailure(pod, {
      reason: "SchedulerError",
      message: `running PreBind plugin ${fault}`,
      nominatedNode: "",
    });
  }

  /** Returns the plugin that failed and the reason. */
  async #preBind(pod: PodInfo, reservation: Reservation): Promise<string | undefined> {
    const signal = this.#signal;
    const { devices: reservations = [] } = reservation;
    const volumes = await prepareVolumes(this.#deps, { pod, reservation, signal });
    if (volumes !== undefined) return `"VolumeBinding": ${volumes}`;
    const devices = await prepareDevices(this.#deps, { pod, reservations, signal });
    return devices === undefined ? undefined : `"DynamicResources": ${devices}`;
  }

  /** Devices that the pod does not get are free for other pods (upstream's Unreserve). */
  #releaseDevices(pod: PodInfo, { devices: reservations = [] }: Reservation): void {
    const { state, queue } = this.#deps;
    if (reservations.length === 0) return;
    state.devices.release(reservations);
    for (const { claim, allocation: freed } of reservations) {
      queue.onEvent({ is: "ResourceClaimUpdate", claim, freed });
    }
    this.#writes.add(unreserveDevices(this.#deps, { pod, reservations, signal: this.#signal }));
  }

  /** A pod that makes a plugin throw must not delay other pods. */
  #decide(pod: PodInfo): Decided | Error {
    const { state, random, plugins, log } = this.#deps;
    try {
      const decision = decide(pod, state, { plugins, tieBreaker: random.float(), timed: this.#timed });
      if (!decision.placed) return decision;
      return { ...decision, reservation: planReservation(pod, decision.node, { snapshot: state, plugins }) };
    } catch (error) {
      log.error("deciding failed", { pod: pod.key, error });
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  readonly #timed: Timed = (point, work) => {
    const { clock, metrics } = this.#deps;
    const startedMs = clock.monotonicMs();
    const result = work();
    metrics.extensionPoint(point, "Success", clock.monotonicMs() - startedMs);
    return result;
  };

  /** Lets a pod for which no node fits wait, and frees resources for the pod if possible. */
  #reject(queued: QueuedPod, rejections: Rejections): void {
    const { state, queue, metrics } = this.#deps;
    const { pod } = queued;
    const devices = this.#deallocateIdle(pod, rejections);
    const plan = rejections.nodeCount === 0 ? undefined : this.#planPreemption(pod, rejections);
    const preemption = plan === undefined ? "" : explainPreemption(plan, rejections.nodeCount);
    const postFilter = [devices, preemption].filter((text) => text !== "").join(", ");
    const message = explainRejection(rejections, postFilter);
    if (plan?.is === "preempt") {
      if (state.nominatedNode(pod.uid) !== plan.nodeName) this.#endNomination(pod);
      this.#preemptor.begin(pod, plan);
      metrics.preempted(plan.victims.length);
      queue.putRejected(queued, rejections.plugins);
      this.#reporter.recordFailure(pod, message);
      this.#writes.add(this.#preemptor.perform(pod, plan, message));
      return;
    }
    const keepsNomination = plan?.is === "not eligible";
    if (!keepsNomination) this.#endNomination(pod);
    queue.putRejected(queued, rejections.plugins);
    // Other pods have their turn before the next decision about this pod, which continues where
    // this decision ended.
    if (isUnfinished(rejections) && queued.attempts <= unfinishedAttemptsMax) queue.retry(pod.uid);
    this.#reportFailure(pod, { reason: "Unschedulable", message, nominatedNode: keepsNomination ? undefined : "" });
  }

  /**
   * Deallocates unused devices that prevent the pod from using any node (upstream's PostFilter,
   * with upstream's messages).
   */
  #deallocateIdle(pod: PodInfo, rejections: Rejections): string {
    const { client, state, log } = this.#deps;
    if (pod.pod.spec?.resourceClaims === undefined || rejections.nodeCount === 0) return "";
    const claim = idleClaimOf(pod, state, rejections);
    if (claim === undefined) return rejections.podBecause === undefined ? "still not schedulable" : "";
    this.#writes.add(
      deallocateClaim(client, claim).catch((error: unknown) =>
        // The next attempt finds the claim again, if it is still idle.
        log.warn("cannot deallocate devices", { claim: formatKey(keyOf(claim)), error }),
      ),
    );
    return "deallocation of ResourceClaim completed";
  }

  /** A pod that cannot be planned waits like a pod for which preemption is impossible. */
  #planPreemption(pod: PodInfo, rejections: Rejections): PreemptionPlan | undefined {
    const { state, random, plugins, budgets, clock, metrics, log } = this.#deps;
    const startedMs = clock.monotonicMs();
    metrics.preemptionAttempted();
    try {
      const options = { rejections, budgets: budgets(), plugins, tieBreaker: random.float() };
      const plan = planPreemption(pod, state, options);
      metrics.extensionPoint("PostFilter", "Success", clock.monotonicMs() - startedMs);
      return plan;
    } catch (error) {
      log.error("planning a preemption failed", { pod: pod.key, error });
      metrics.extensionPoint("PostFilter", "Error", clock.monotonicMs() - startedMs);
      return undefined;
    }
  }

  /**
   * Ends the pod's nomination, so that the resources that were reserved for the pod are free for
   * less important pods.
   */
  #endNomination({ uid }: PodInfo): void {
    const { state, queue } = this.#deps;
    const ended = state.removeNomination(uid);
    if (ended !== undefined) queue.onEvent({ is: "AssignedPodDelete", ...ended });
  }

  async #bind(queued: QueuedPod, { nodeName, startedMs, reservation }: Placing): Promise<void> {
    const { client, clock, log, metrics } = this.#deps;
    const { pod } = queued;
    const bindStartedMs = clock.monotonicMs();
    const outcome = await bind(client, pod, nodeName);
    metrics.extensionPoint("Bind", outcome.is === "bound" ? "Success" : "Error", clock.monotonicMs() - bindStartedMs);
    const tookMs = clock.monotonicMs() - startedMs;
    switch (outcome.is) {
      case "bound":
        log.info("pod bound", { pod: pod.key, node: nodeName, attempts: queued.attempts });
        metrics.attempted("scheduled", tookMs);
        this.#reporter.scheduled(queued, nodeName);
        // The informer may have been faster than the answer.
        if (this.#deps.state.isAssumed(pod.uid)) this.#confirmations.expect(queued);
        return;
      case "unclear":
        log.warn("outcome of a binding is unknown", { pod: pod.key, node: nodeName, error: outcome.error });
        metrics.attempted("error", tookMs);
        return this.#settle(queued, (boundTo) => {
          if (outcome.mayBeOurs && boundTo === nodeName) this.#reporter.scheduled(queued, nodeName);
        });
      case "failed":
        log.warn("binding failed", { pod: pod.key, node: nodeName, error: outcome.error });
        metrics.attempted("error", tookMs);
        if (reservation !== undefined) this.#releaseDevices(pod, reservation);
        this.#takeBack(queued, pod.pod);
        this.#reportFailure(pod, {
          reason: "SchedulerError",
          message: `running Bind plugin "DefaultBinder": ${outcome.error.message}`,
          nominatedNode: "",
        });
    }
  }

  /**
   * Determines the state of a pod by reading it; until then the pod keeps its resources on the
   * chosen node.
   */
  async #settle(queued: QueuedPod, onBound: (nodeName: string) => void): Promise<void> {
    const { client, clock, random, state, queue, log } = this.#deps;
    const signal = this.#signal;
    const { uid } = queued.pod;
    while (!signal.aborted) {
      try {
        const pod = await client.find(pods, keyOf(queued.pod.pod), { signal });
        if (!state.isAssumed(uid)) {
          // The informer was faster: it has shown that the pod is bound or removed.
          const nodeName = state.nodeOf(uid);
          if (nodeName !== undefined) onBound(nodeName);
        } else if (pod === undefined || pod.metadata.uid !== uid) {
          this.#forget(queued.pod);
        } else if (isPodBound(pod)) {
          const [bound, nodeName] = [podInfoOf(pod), pod.spec?.nodeName ?? ""];
          state.putPod(bound, nodeName);
          onBound(nodeName);
          queue.onEvent({ is: "AssignedPodAdd", pod: bound });
        } else {
          this.#takeBack(queued, pod);
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn("cannot find out whether a pod was bound", { pod: queued.pod.key, error });
        await clock.sleep(jittered(random, settleRetryMs, 1), signal).catch(() => {});
      }
    }
  }

  /** Frees the resources of a pod that was not bound, and lets the pod have another attempt. */
  #takeBack(queued: QueuedPod, pod: Pod): void {
    if (!this.#forget(queued.pod)) return;
    if (pod.metadata.deletionTimestamp === undefined) this.#deps.queue.putFailed({ ...queued, pod: podInfoOf(pod) });
  }

  #forget(pod: PodInfo): boolean {
    const { state, queue } = this.#deps;
    const nodeName = state.nodeOf(pod.uid);
    if (state.forget(pod.uid) === undefined || nodeName === undefined) return false;
    queue.onEvent({ is: "AssignedPodDelete", pod, nodeName });
    return true;
  }

  #reportFailure(pod: PodInfo, why: Parameters<AttemptReporter["failed"]>[1]): void {
    this.#writes.add(this.#reporter.failed(pod, why));
  }
}

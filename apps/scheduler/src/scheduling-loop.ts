import { type Logger, type Pod, pods } from "@kintsugi/api";
import type { Client, EventRecorder } from "@kintsugi/client";
import { type Clock, jittered, type Random } from "@kintsugi/clock";
import { bind } from "./binding/bind.ts";
import { InFlight } from "./binding/in-flight.ts";
import type { ClusterState } from "./cluster-state/cluster-state.ts";
import { type PodInfo, podInfoOf } from "./cluster-state/pod-info.ts";
import { type Decision, decide } from "./decision/decide.ts";
import { explainNoPreemption, explainRejection } from "./decision/explain.ts";
import type { Plugin } from "./framework/plugin.ts";
import { type PodScheduledReason, truncated, writePodCondition } from "./pod-condition.ts";
import type { QueuedPod } from "./queue/queued-pod.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";

/** Bindings and status writes under way at once: as many as the client keeps connections. */
const writesInFlightMax = 32;
/** After so many decisions in a row, whatever else is ready to run gets its turn. */
const decisionsPerTurn = 16;
/** A bound pod that the informer does not show as bound by then is read. */
const confirmationTimeoutMs = 30_000;
/** How long to wait between tries to find out what became of a binding. */
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
}

/**
 * Next pod, decide, assume, bind. Decisions are made one after the other, each knowing the ones before; the bindings that follow
 * from them are under way side by side.
 */
export class SchedulingLoop {
  readonly #deps: SchedulingLoopDeps;
  readonly #writes = new InFlight(writesInFlightMax);

  constructor(deps: SchedulingLoopDeps) {
    this.#deps = deps;
  }

  /** Schedules until the signal aborts, then waits for the writes that are under way. */
  async run(signal: AbortSignal): Promise<void> {
    const { queue, state, metrics } = this.#deps;
    for (let decisions = 1; !signal.aborted; decisions++) {
      metrics.sizes(queue, state);
      await queue.waitUntilReady(signal).catch(() => {});
      await this.#writes.waitForRoom();
      if (signal.aborted) break;
      const next = queue.pop();
      if (next !== undefined) this.#attempt(next, signal);
      if (decisions % decisionsPerTurn === 0) await nextTurn();
    }
    await this.#writes.settled();
  }

  /** One pod: from here to the assumption nothing else runs, so the state is the same for all plugins. */
  #attempt(queued: QueuedPod, signal: AbortSignal): void {
    const { state, clock, random, plugins, metrics } = this.#deps;
    const { pod } = queued;
    if (state.nodeOf(pod.uid) !== undefined) return;
    const startedMs = clock.monotonicMs();
    const decision = decide(pod, state, { plugins, tieBreaker: random.float() });
    metrics.decided(clock.monotonicMs() - startedMs);
    if (!decision.placed) {
      this.#reject(queued, decision);
      metrics.attempted("unschedulable", clock.monotonicMs() - startedMs);
      return;
    }
    metrics.rejected(queued.rejectedBy, new Set());
    state.assume(pod, decision.node);
    this.#writes.add(this.#bind(queued, { nodeName: decision.node, startedMs, signal }));
  }

  #reject(queued: QueuedPod, { rejections }: Extract<Decision, { placed: false }>): void {
    const { queue, metrics } = this.#deps;
    const helpful = [...rejections.byNode.values()].filter(({ evictionMayHelp }) => evictionMayHelp).length;
    const message = explainRejection(rejections, explainNoPreemption(rejections.nodeCount, helpful));
    metrics.rejected(queued.rejectedBy, rejections.plugins);
    queue.putRejected(queued, rejections.plugins);
    this.#tellFailure(queued.pod, "Unschedulable", message);
  }

  async #bind(queued: QueuedPod, attempt: { nodeName: string; startedMs: number; signal: AbortSignal }): Promise<void> {
    const { client, clock, log, metrics, state } = this.#deps;
    const { pod } = queued;
    const { nodeName, startedMs, signal } = attempt;
    const outcome = await bind(client, pod, nodeName);
    const tookMs = clock.monotonicMs() - startedMs;
    switch (outcome.is) {
      case "bound":
        log.info("pod bound", { pod: pod.key, node: nodeName, attempts: queued.attempts });
        metrics.attempted("scheduled", tookMs);
        metrics.scheduled(queued.attempts, clock.monotonicMs() - queued.addedMs);
        this.#tellSuccess(pod, nodeName);
        clock.after(confirmationTimeoutMs, () => {
          if (state.isAssumed(pod.uid) && !signal.aborted) this.#writes.add(this.#settle(queued, signal));
        });
        return;
      case "unclear":
        log.warn("binding is unclear", { pod: pod.key, node: nodeName, error: outcome.error });
        metrics.attempted("error", tookMs);
        return this.#settle(queued, signal);
      case "failed":
        log.warn("binding failed", { pod: pod.key, node: nodeName, error: outcome.error });
        metrics.attempted("error", tookMs);
        this.#takeBack(queued, pod.pod);
        this.#tellFailure(pod, "SchedulerError", `running Bind plugin "DefaultBinder": ${outcome.error.message}`);
    }
  }

  /** Finds out by reading what has become of a pod; until then it keeps its room on the node. */
  async #settle(queued: QueuedPod, signal: AbortSignal): Promise<void> {
    const { client, clock, random, state, log } = this.#deps;
    const { uid } = queued.pod;
    while (!signal.aborted && state.isAssumed(uid)) {
      try {
        const pod = await client.find(pods, keyOf(queued.pod.pod), { signal });
        if (!state.isAssumed(uid)) return;
        if (pod === undefined || pod.metadata.uid !== uid) {
          this.#forget(queued.pod);
        } else if ((pod.spec?.nodeName ?? "") !== "") {
          state.putPod(podInfoOf(pod), pod.spec?.nodeName ?? "");
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

  /** The pod was not bound: its room is free again, and it gets another attempt. */
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

  #tellSuccess(pod: PodInfo, nodeName: string): void {
    this.#deps.events.record(pod.pod, {
      type: "Normal",
      reason: "Scheduled",
      message: `Successfully assigned ${pod.key} to ${nodeName}`,
      action: "Binding",
    });
  }

  #tellFailure(pod: PodInfo, reason: PodScheduledReason, fullMessage: string): void {
    const { client, clock, log, events } = this.#deps;
    const message = truncated(fullMessage);
    events.record(pod.pod, { type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" });
    this.#writes.add(
      writePodCondition({ client, log, nowMs: () => clock.nowMs() }, pod.pod, { reason, message: fullMessage }),
    );
  }
}

function keyOf({ metadata }: Pod) {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

import { disruptionTarget, type Logger, type Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import type { FilesystemSpace, Machine } from "../../machine/kernel/machine.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { NodeContext } from "../../model/node-context.ts";
import { type EventSink, nodeReference, type PodEvents } from "../../model/pod-events.ts";
import type { ConditionVerdict } from "../../model/verdicts.ts";
import type { PodRoster } from "../../pods/work/pod-roster.ts";
import type { PodWorkers } from "../../pods/work/pod-workers.ts";
import type { GarbageCollector } from "../cleanup/garbage-collector.ts";
import type { StatsProvider } from "../stats/stats-provider.ts";
import { evictionMessage } from "./eviction-message.ts";
import { judgeLocalStorage, limitsStorage } from "./local-storage.ts";
import type { NodePressure } from "./node-pressure.ts";
import { noPressure, type EvictionPolicy, type EvictionState, planEviction } from "./plan-eviction.ts";
import { isCritical, rankPods, type StatsOf } from "./rank-pods.ts";
import { type Observations, observeSignals, resourceOf } from "./signals.ts";
import { type Threshold, thresholdsMet } from "./thresholds.ts";

export interface EvictionOptions extends EvictionPolicy {
  /** The time between two inspections of the node. Default 10 s, upstream's value. */
  monitoringPeriodMs: number;
  /**
   * The grace period of a pod that is evicted for a soft threshold
   * (`--eviction-max-pod-grace-period`). Default 0: immediately.
   */
  maxPodGracePeriodSeconds: number;
}

export interface EvictionDeps {
  machine: Machine;
  runtime: ContainerRuntime;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  node: NodeContext;
  events: PodEvents;
  nodeEvents: EventSink;
  roster: Pick<PodRoster, "activePods" | "isCleanedUp">;
  workers: Pick<PodWorkers, "kill">;
  stats: Pick<StatsProvider, "summary">;
  garbage: Pick<GarbageCollector, "reclaim">;
  /** Eviction sets the pressure; admission and the node's status read it. */
  pressure: Pick<NodePressure, "set">;
}

/** The grace period of a pod when the node cannot wait (immediateEvictionGracePeriodSeconds). */
const immediateGraceSeconds = 1;
/**
 * The manager waits for an evicted pod, so that the freed resources count before another pod is
 * evicted.
 */
const cleanupMaxMs = 30_000;
const cleanupPollMs = 1000;

/**
 * Protects the node when memory, disk or processes run out: reports the pressure, and evicts pods
 * one by one (eviction_manager.go).
 */
export class EvictionManager {
  readonly #deps: EvictionDeps;
  readonly #options: EvictionOptions;
  readonly #evictions;
  #state: EvictionState = noPressure;
  #imageMountpoint: string | undefined;

  constructor(deps: EvictionDeps, options: EvictionOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#evictions = deps.metrics.counter({
      name: "kubelet_evictions",
      help: "Cumulative number of pod evictions by eviction signal",
      labels: ["eviction_signal"],
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    while (!signal.aborted) {
      const evicted = await this.#synchronize(signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn("eviction: node not inspected", { error });
        return [];
      });
      if (evicted.length > 0) await this.#untilCleanedUp(evicted, signal);
      else await clock.sleep(this.#options.monitoringPeriodMs, signal, "routine").catch(() => {});
    }
  }

  /** Resolves with the pods that were evicted. */
  async #synchronize(signal: AbortSignal): Promise<BoundPod[]> {
    const { observations, imageFs, nodeDevice } = await this.#observe(signal);
    const plan = planEviction({ observations, state: this.#state }, this.#options, this.#deps.clock.nowMs());
    this.#state = plan.state;
    this.#deps.pressure.set(plan.conditions);
    const active = this.#deps.roster.activePods();
    const dedicatedImageFs = imageFs !== undefined && imageFs.device !== nodeDevice;
    const limited = active.filter(limitsStorage);
    if (limited.length > 0) {
      const evicted = this.#evictOverLimits(limited, { dedicatedImageFs, statsOf: await this.#stats(signal) });
      if (evicted.length > 0) return evicted;
    }
    const [threshold] = plan.reclaim;
    if (!threshold) return [];
    return this.#reclaim(plan.reclaim, { threshold, active, observations, dedicatedImageFs }, signal);
  }

  async #observe(
    signal: AbortSignal,
  ): Promise<{ observations: Observations; imageFs: FilesystemSpace | undefined; nodeDevice: number }> {
    const { machine, node } = this.#deps;
    const [usage, imageFs] = await Promise.all([machine.usage(), this.#imageFs(signal)]);
    const observations = observeSignals({ usage, imageFs, memoryCapacityBytes: node.capacity.memoryBytes });
    return { observations, imageFs, nodeDevice: usage.rootFs.device };
  }

  /**
   * The file system of the images does not change while the runtime runs. A runtime that does not
   * answer is skipped.
   */
  async #imageFs(signal: AbortSignal): Promise<FilesystemSpace | undefined> {
    const { runtime, machine } = this.#deps;
    if (this.#imageMountpoint === undefined) {
      const [first] = await runtime.imageFsInfo(signal).catch(() => []);
      this.#imageMountpoint = first?.mountpoint;
    }
    return this.#imageMountpoint === undefined ? undefined : machine.filesystem(this.#imageMountpoint);
  }

  async #stats(signal: AbortSignal): Promise<StatsOf> {
    const { pods } = await this.#deps.stats.summary(signal);
    const byUid = new Map(pods.map((stats) => [stats.podRef.uid, stats]));
    return (pod) => byUid.get(pod.metadata.uid);
  }

  /** Evicts all these pods at the same time, because each pod exceeds its own limit. */
  #evictOverLimits(pods: readonly BoundPod[], options: { dedicatedImageFs: boolean; statsOf: StatsOf }): BoundPod[] {
    return pods.filter((pod) => {
      const stats = options.statsOf(pod);
      const verdict = stats && judgeLocalStorage(pod, stats, options);
      if (!verdict || isCritical(pod)) return false;
      this.#evict(pod, { message: verdict.message, graceSeconds: immediateGraceSeconds });
      this.#evictions.add(1, { eviction_signal: verdict.signal });
      return true;
    });
  }

  /** First frees resources that no pod needs; if that is not enough, evicts one pod. */
  async #reclaim(
    thresholds: readonly Threshold[],
    subject: {
      threshold: Threshold;
      active: readonly BoundPod[];
      observations: Observations;
      dedicatedImageFs: boolean;
    },
    signal: AbortSignal,
  ): Promise<BoundPod[]> {
    const { log, node, nodeEvents } = this.#deps;
    const { threshold, observations, dedicatedImageFs } = subject;
    const resource = resourceOf[threshold.signal];
    log.warn("eviction: trying to reclaim", { resource, signal: threshold.signal });
    const message = `Attempting to reclaim ${resource}`;
    nodeEvents.record(nodeReference(node.nodeName), { type: "Warning", reason: "EvictionThresholdMet", message });
    if (this.#reclaimsNode(threshold, dedicatedImageFs)) {
      await this.#deps.garbage.reclaim(signal);
      const after = await this.#observe(signal);
      if (thresholdsMet(this.#options.thresholds, after.observations, { minReclaim: true }).length === 0) return [];
    }
    const statsOf = await this.#stats(signal);
    const candidates = rankPods(subject.active, threshold.signal, { statsOf, dedicatedImageFs });
    const victim = candidates.find((pod) => !isCritical(pod));
    if (!victim) {
      log.warn("eviction: no pod can be evicted", { resource, pods: subject.active.length });
      return [];
    }
    const { maxPodGracePeriodSeconds } = this.#options;
    const text = evictionMessage(victim, statsOf(victim), { thresholds, observations });
    this.#evict(victim, {
      message: text,
      graceSeconds: threshold.gracePeriodMs === 0 ? immediateGraceSeconds : maxPodGracePeriodSeconds,
      condition: disruptionTarget({ reason: "TerminationByKubelet", message: text }),
    });
    this.#evictions.add(1, { eviction_signal: threshold.signal });
    return [victim];
  }

  /**
   * Containers and images are on the node's own file system, unless they have a separate file
   * system.
   */
  #reclaimsNode({ signal }: Threshold, dedicatedImageFs: boolean): boolean {
    if (signal.startsWith("imagefs.")) return true;
    return signal.startsWith("nodefs.") && !dedicatedImageFs;
  }

  #evict(
    pod: BoundPod,
    options: {
      message: string;
      graceSeconds: number;
      condition?: ConditionVerdict;
    },
  ): void {
    const { events, log, workers } = this.#deps;
    const { message, graceSeconds, condition } = options;
    events.warning(pod, "Evicted", message);
    log.warn("pod evicted", { pod: `${pod.metadata.namespace}/${pod.metadata.name}`, message });
    workers.kill(pod.metadata.uid, { reason: "Evicted", message, ...(condition ? { condition } : {}) }, graceSeconds);
  }

  async #untilCleanedUp(pods: readonly BoundPod[], signal: AbortSignal): Promise<void> {
    const { clock, roster } = this.#deps;
    const deadlineMs = clock.monotonicMs() + cleanupMaxMs;
    while (!signal.aborted && clock.monotonicMs() < deadlineMs) {
      await clock.sleep(cleanupPollMs, signal).catch(() => {});
      if (pods.every((pod) => roster.isCleanedUp(pod.metadata.uid))) return;
    }
  }
}

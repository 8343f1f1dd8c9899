import { type Logger, noExecuteTaints, nodes, pods, selfFencedCondition, tolerationSeconds } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, Waiter } from "@kintsugi/clock";
import { Listeners } from "../../base/listeners.ts";
import { type BoundPod, boundPod, isDeleting, restartPolicyOf } from "../../model/bound-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { ConditionVerdict, EndVerdict } from "../../model/verdicts.ts";
import {
  fenceGraceSeconds,
  leastSilenceMs,
  planSelfFence,
  type SelfFenceOptions,
  type SelfFencePlan,
} from "../plan/plan-self-fence.ts";
import type { PodRoster } from "./pod-roster.ts";

export interface SelfFenceDeps {
  client: Client;
  clock: Clock;
  log: Logger;
  events: PodEvents;
  roster: Pick<PodRoster, "activePods">;
}

const reason = "SelfFenced";
/** The server answered a renewal just now, so a failed read is retried soon. */
const returnRetryMs = 1000;

interface Fence {
  pod: BoundPod;
  plan: SelfFencePlan;
  message: string;
  ends: boolean;
}

/**
 * Stops the pods that requested it, while the node is cut off for so long that another node may run
 * their replacements. A pod of restart policy Always starts again after the API shows that it was
 * not replaced. Any other pod ends as Failed, because an exit code that only the stop has caused
 * must not count as success.
 */
export class SelfFence {
  readonly #deps: SelfFenceDeps;
  readonly #options: SelfFenceOptions & { nodeName: string };
  readonly #waiter = new Waiter();
  readonly #stopped = new Listeners<string>();
  readonly #ended = new Listeners<{ uid: string; verdict: EndVerdict; graceSeconds: number }>();
  readonly #returned = new Listeners<string>();
  /** The pods that may not run, by uid; at most one entry for each pod of the node. */
  readonly #fences = new Map<string, Fence>();
  #renewedAtMs: number | undefined;
  #reading = false;

  constructor(deps: SelfFenceDeps, options: SelfFenceOptions & { nodeName: string }) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Records that a renewal that was sent at this monotonic time has succeeded. */
  noteRenewal(sentAtMs: number): void {
    this.#renewedAtMs = sentAtMs;
    if (this.#fences.size > 0) this.#waiter.wake();
  }

  /** The stop of a pod that has to remain stopped; undefined for a pod that may run. */
  find(uid: string): { graceSeconds: number; message: string } | undefined {
    const fence = this.#fences.get(uid);
    if (!fence || fence.ends) return undefined;
    return { graceSeconds: fenceGraceSeconds(fence.pod, fence.plan, this.#silenceMs()), message: fence.message };
  }

  conditions(uid: string): ConditionVerdict[] {
    const fence = this.find(uid);
    return fence ? [{ type: selfFencedCondition, status: "True", reason: "NodeCutOff", message: fence.message }] : [];
  }

  /** Calls `handler` with the uid of a pod that has to stop immediately. */
  onStopped(handler: (uid: string) => void): void {
    this.#stopped.add(handler);
  }

  /** Calls `handler` for a pod that has to end immediately, and for good. */
  onEnded(handler: (end: { uid: string; verdict: EndVerdict; graceSeconds: number }) => void): void {
    this.#ended.add(handler);
  }

  /** Calls `handler` with the uid of a pod that may run again. */
  onReturned(handler: (uid: string) => void): void {
    this.#returned.add(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const inMs = this.#stopDue();
      if (this.#fences.size > 0 && !this.#isCutOff()) void this.#letReturn(signal);
      // While Leases are renewed, each renewal postpones this check.
      const looks = { after: (ms: number, look: () => void) => this.#deps.clock.after(ms, look, "routine") };
      await this.#waiter.waitAtMost(inMs, looks, signal);
    }
  }

  /** Fences the pods whose silence has ended. Returns the time until the next check. */
  #stopDue(): number {
    const silenceMs = this.#silenceMs();
    const active = this.#deps.roster.activePods();
    const uids = new Set(active.map(({ metadata }) => metadata.uid));
    for (const uid of this.#fences.keys()) if (!uids.has(uid)) this.#fences.delete(uid);
    // A pod, or a changed annotation, may be added at any time. But no pod is due before the least
    // silence, and each renewal ends a silence.
    const soonMs = this.#options.renewIntervalMs / 2;
    let nextMs = this.#fences.size > 0 ? soonMs : Math.max(soonMs, leastSilenceMs(this.#options) - silenceMs);
    for (const pod of active) {
      const plan = planSelfFence(pod, this.#options);
      if (!plan || this.#fences.has(pod.metadata.uid)) continue;
      if (silenceMs < plan.stopAfterMs) nextMs = Math.min(nextMs, plan.stopAfterMs - silenceMs);
      else this.#stop(pod, plan, silenceMs);
    }
    return Math.max(1, nextMs);
  }

  #stop(pod: BoundPod, plan: SelfFencePlan, silenceMs: number): void {
    const { uid } = pod.metadata;
    const ends = restartPolicyOf(pod) !== "Always";
    const message =
      `Node ${this.#options.nodeName} could not renew its Lease for ${Math.floor(silenceMs / 1000)} s: ` +
      `the pod is stopped before another node may run its replacement`;
    this.#fences.set(uid, { pod, plan, message, ends });
    this.#deps.events.warning(pod, reason, message);
    this.#deps.log.warn("pod fenced", { pod: `${pod.metadata.namespace}/${pod.metadata.name}`, silenceMs });
    const graceSeconds = fenceGraceSeconds(pod, plan, silenceMs);
    if (ends) this.#ended.emit({ uid, verdict: { reason, message, isDeadline: true }, graceSeconds });
    else this.#stopped.emit(uid);
  }

  /**
   * Allows pods to run again if they exist in the API, their deletion was not requested, and no
   * taint evicts them, because an eviction would need another grace period. The node's own copies
   * may be older than the silence, so the server is read.
   */
  async #letReturn(signal: AbortSignal): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const { client, clock, log } = this.#deps;
    const { nodeName, renewIntervalMs: timeoutMs } = this.#options;
    try {
      const node = await client.get(nodes, { namespace: "", name: nodeName }, { signal, timeoutMs });
      const taints = noExecuteTaints(node.spec?.taints);
      const reads = [...this.#fences.values()].map(async ({ pod: { metadata } }) => {
        const stored = await client.find(pods, metadata, { signal, timeoutMs });
        return stored?.metadata.uid === metadata.uid ? boundPod(stored) : undefined;
      });
      const living = (await Promise.all(reads)).filter((pod) => pod !== undefined);
      const mayStay = (pod: BoundPod) =>
        !isDeleting(pod) && tolerationSeconds(taints, pod.spec.tolerations) === Infinity;
      if (!this.#isCutOff()) for (const pod of living.filter(mayStay)) this.#return(pod);
    } catch (error) {
      if (!signal.aborted) log.warn("fenced pods are not started yet: the API server cannot be read", { error });
    } finally {
      this.#reading = false;
    }
    if (this.#fences.size > 0 && !signal.aborted) clock.after(returnRetryMs, () => this.#waiter.wake());
  }

  #return(pod: BoundPod): void {
    const { uid } = pod.metadata;
    const fence = this.#fences.get(uid);
    this.#fences.delete(uid);
    if (!fence || fence.ends) return;
    const message = `Node ${this.#options.nodeName} reaches the API server again: the pod starts again`;
    this.#deps.events.normal(pod, "SelfFenceLifted", message);
    this.#returned.emit(uid);
  }

  /** 0 before the first renewal, because this process has not observed a connected node. */
  #silenceMs(): number {
    return this.#renewedAtMs === undefined ? 0 : this.#deps.clock.monotonicMs() - this.#renewedAtMs;
  }

  /** More than two renewals have failed, so earlier answers must not be trusted. */
  #isCutOff(): boolean {
    return this.#silenceMs() >= 2 * this.#options.renewIntervalMs;
  }
}

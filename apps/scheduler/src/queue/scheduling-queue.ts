import { strict as assert } from "node:assert";
import type { Pod } from "@kintsugi/api";
import { backoffDelayMs, type Clock, type Timer, Waiter } from "@kintsugi/clock";
import { type ClusterEvent, eventLabel, type Plugin, type PodInfo } from "@kintsugi/scheduling";
import { KeyedHeap } from "./keyed-heap.ts";
import type { QueuedPod } from "./queued-pod.ts";
import { mayChangePlacement } from "./pod-changes.ts";
import { ReadyPods } from "./ready-pods.ts";

// A pod without a node moves between these places:
//
//                     ┌───────────── its turn ─────────────► (being scheduled) ──placed──► removed
//                     │                                        │            │
//   new ──────────► ready ◄──back-off over── backing off ◄─error┘            │ rejected
//    │                ▲                          ▲                          ▼
//    │ gates          └── no back-off left ──────┴─ an event may help ── waiting
//    ▼                                              · 5 min have elapsed
//   gated ──gates removed, and no plugin delays it (PreEnqueue)──► ready
//
// Ready pods are in the order that ready-pods.ts describes. "waiting" is upstream's
// unschedulablePods. A back-off after a rejection only lets other pods precede it (KEP-5142, on by
// default since 1.33): when no pod is ready, it is the turn of the pod whose back-off ends next. A
// pod always waits for its whole back-off after an error.

export interface SchedulingQueueOptions {
  /**
   * The wait after the first failed attempt, doubled by each further failed attempt. Default 1 s.
   */
  podInitialBackoffMs: number;
  /** The longest wait after a failed attempt. Default 10 s. */
  podMaxBackoffMs: number;
  /** Time after which a rejected pod is tried again, even without an event. Default 5 min. */
  podMaxWaitingMs: number;
}

export const defaultQueueOptions: SchedulingQueueOptions = {
  podInitialBackoffMs: 1_000,
  podMaxBackoffMs: 10_000,
  podMaxWaitingMs: 300_000,
};

/** Upstream's interval at which pods that have waited too long are moved. */
const flushIntervalMs = 30_000;

export interface SchedulingQueueDeps {
  clock: Clock;
  plugins: readonly Plugin[];
  /**
   * Called when a pod has entered a queue: "active", "backoff", "unschedulable" or "gated", because
   * of an event.
   */
  onIncoming?: (queue: QueueName, event: string) => void;
  /** Called when the number of pods that wait because of these plugins changes by 1. */
  onRejected?: (plugins: ReadonlySet<string>, by: 1 | -1) => void;
  /** Returns the name of the plugin that keeps a pod from being tried yet. */
  gatedBy?: (pod: PodInfo) => string | undefined;
}

export type QueueName = "active" | "backoff" | "unschedulable" | "gated";

/** The pods that have no node yet. */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #plugins: ReadonlyMap<string, Plugin>;
  readonly #onIncoming: (queue: QueueName, event: string) => void;
  readonly #onRejected: (plugins: ReadonlySet<string>, by: 1 | -1) => void;
  /**
   * UIDs of pods for which preemption is in progress: at most as many as preemptions being written.
   */
  readonly #held = new Set<string>();
  readonly #gatedBy: (pod: PodInfo) => string | undefined;
  readonly #options: SchedulingQueueOptions;
  readonly #ready = new ReadyPods();
  readonly #backingOff = { rejected: byEndOfBackoff(), failed: byEndOfBackoff() };
  readonly #waiting = new Map<string, QueuedPod>();
  readonly #gated = new Map<string, QueuedPod>();
  #backoffTimer: Timer | undefined;
  #flushTimer: Timer | undefined;
  readonly #waiter = new Waiter();
  #order = 0;

  constructor(deps: SchedulingQueueDeps, options: Partial<SchedulingQueueOptions> = {}) {
    this.#clock = deps.clock;
    this.#plugins = new Map(deps.plugins.map((plugin) => [plugin.name, plugin]));
    this.#onIncoming = deps.onIncoming ?? (() => {});
    this.#onRejected = deps.onRejected ?? (() => {});
    this.#gatedBy = deps.gatedBy ?? (() => undefined);
    this.#options = { ...defaultQueueOptions, ...options };
  }

  /** Counts the waiting pods by place, for the metric scheduler_pending_pods. */
  sizes(): Readonly<Record<QueueName, number>> {
    return {
      active: this.#ready.size,
      backoff: this.#backingOff.rejected.size + this.#backingOff.failed.size,
      unschedulable: this.#waiting.size,
      gated: this.#gated.size,
    };
  }

  /** Adds a pod without a node, or updates its state. */
  put(pod: PodInfo): void {
    const known = this.#find(pod.uid);
    if (known === undefined) {
      const nowMs = this.#clock.monotonicMs();
      this.#admit({ pod, attempts: 0, addedMs: nowMs, firstAttemptMs: undefined, ...this.#since(nowMs) }, "PodAdd");
      return;
    }
    const before = known.pod;
    const next = { ...known, pod };
    if (this.#ready.find(pod.uid) !== undefined) this.#ready.put(next);
    else if (this.#backingOff.rejected.find(pod.uid) !== undefined) this.#backingOff.rejected.put(next);
    else if (this.#backingOff.failed.find(pod.uid) !== undefined) this.#backingOff.failed.put(next);
    else if (this.#leaveGate(known)) this.#admit({ ...next, ...this.#since(this.#clock.monotonicMs()) }, "PodUpdate");
    else {
      this.#waiting.set(pod.uid, next);
      if (mayChangePlacement(pod.pod, before.pod)) this.#endWait(next, "PodUpdate");
    }
  }

  remove(uid: string): void {
    const known = this.#find(uid);
    if (known === undefined) return;
    this.#onRejected(known.rejectedBy, -1);
    this.#ready.remove(uid);
    this.#backingOff.rejected.remove(uid);
    this.#backingOff.failed.remove(uid);
    this.#waiting.delete(uid);
    this.#gated.delete(uid);
    this.#held.delete(uid);
  }

  /** The most urgent pod, for an attempt; undefined if no pod is ready. */
  pop(): QueuedPod | undefined {
    const next = this.#ready.pop() ?? this.#popBackingOff();
    if (next === undefined) return undefined;
    this.#assertNowhere(next.pod, "an attempt");
    this.#onRejected(next.rejectedBy, -1);
    const nowMs = this.#clock.monotonicMs();
    return { ...next, attempts: next.attempts + 1, firstAttemptMs: next.firstAttemptMs ?? nowMs };
  }

  /** Records the time of a decision about a popped pod, for which its namespace yields. */
  spent(attempted: QueuedPod, tookMs: number): void {
    this.#ready.spent(attempted, { tookMs, nowMs: this.#clock.monotonicMs() });
  }

  /** Resolves when there is a pod to try. @throws the signal's reason when it aborts first. */
  async waitUntilReady(signal: AbortSignal): Promise<void> {
    while (this.#ready.size === 0 && this.#backingOff.rejected.size === 0 && !signal.aborted) {
      await this.#waiter.wait(signal);
    }
    signal.throwIfAborted();
  }

  /**
   * Puts back a pod for which no node fits. The pod waits for an event that may change the result
   * of a plugin that rejected it.
   */
  putRejected(attempted: QueuedPod, rejectedBy: ReadonlySet<string>): void {
    const waiting = this.#failed(attempted, rejectedBy);
    this.#assertNowhere(waiting.pod, "waiting pods");
    this.#waiting.set(waiting.pod.uid, waiting);
    this.#onRejected(rejectedBy, 1);
    this.#onIncoming("unschedulable", "ScheduleAttemptFailure");
    this.#armFlush();
  }

  /**
   * Puts back a pod whose attempt failed for reasons other than nodes. The attempt is repeated
   * after a back-off.
   */
  putFailed(attempted: QueuedPod): void {
    this.#putBackingOff(this.#failed(attempted, new Set()), "ScheduleAttemptFailure");
  }

  /**
   * Tries a waiting pod again after a back-off, even without an event, because the work that would
   * have helped the pod has failed.
   */
  retry(uid: string): void {
    const waiting = this.#waiting.get(uid);
    // A pod in another place of the queue is about to be tried anyway, or no longer waits.
    if (waiting === undefined) return;
    this.#waiting.delete(uid);
    this.#onRejected(waiting.rejectedBy, -1);
    this.#putBackingOff(this.#failed(waiting, new Set()), "ForceActivate");
  }

  /**
   * Prevents events from retrying the pod until it is released. Preemption is in progress for the
   * pod, and other events would retry it too early (upstream's gate of pods that are preempting).
   */
  hold(uid: string): void {
    this.#held.add(uid);
  }

  /** May be called repeatedly. Events that occurred in the meantime do not retry the pod. */
  release(uid: string): void {
    this.#held.delete(uid);
  }

  /** Retries the pod without an event, if the pod waits. */
  activate(uid: string): void {
    const waiting = this.#waiting.get(uid);
    if (waiting !== undefined) this.#endWait(waiting, "ForceActivate");
  }

  /** Retries the waiting pods that the event may help. */
  onEvent(event: ClusterEvent): void {
    for (const waiting of this.#waiting.values()) {
      if (this.#held.has(waiting.pod.uid)) continue;
      if (this.#mayHelp(waiting, event)) this.#endWait(waiting, eventLabel(event));
    }
    for (const gated of this.#gated.values()) {
      // The other pods have gates in their spec, which events do not open.
      if (gated.rejectedBy.size > 0 && this.#mayHelp(gated, event)) this.#admitAgain(gated, event);
    }
  }

  /** Stops the queue's timers. */
  stop(): void {
    this.#backoffTimer?.cancel();
    this.#flushTimer?.cancel();
  }

  #mayHelp({ pod, rejectedBy }: QueuedPod, event: ClusterEvent): boolean {
    // No plugin rejected the pod, because there was no node at all.
    if (rejectedBy.size === 0) return event.is === "NodeAdd";
    for (const name of rejectedBy) {
      const plugin = this.#plugins.get(name);
      if (plugin?.mayHelp === undefined || plugin.mayHelp(pod, event)) return true;
    }
    return false;
  }

  #admit(pod: QueuedPod, event: string): void {
    const plugin = isGated(pod.pod.pod) ? "" : this.#gatedBy(pod.pod);
    if (plugin === undefined) return this.#putReady(pod, event);
    this.#assertNowhere(pod.pod, "gated pods");
    const rejectedBy = new Set(plugin === "" ? [] : [plugin]);
    this.#gated.set(pod.pod.uid, { ...pod, rejectedBy });
    this.#onRejected(rejectedBy, 1);
    this.#onIncoming("gated", event);
  }

  /** An event may have opened the gate of a pod that a plugin delays. */
  #admitAgain(gated: QueuedPod, event: ClusterEvent): void {
    if (this.#gatedBy(gated.pod) !== undefined) return;
    this.#leaveGate(gated);
    this.#admit({ ...gated, ...this.#since(this.#clock.monotonicMs()) }, eventLabel(event));
  }

  #leaveGate({ pod, rejectedBy }: QueuedPod): boolean {
    if (!this.#gated.delete(pod.uid)) return false;
    this.#onRejected(rejectedBy, -1);
    return true;
  }

  /** Ends the wait: the pod becomes ready, or backs off if its back-off is not over. */
  #endWait(pod: QueuedPod, event: string): void {
    this.#waiting.delete(pod.pod.uid);
    if (pod.backoffUntilMs > this.#clock.monotonicMs()) this.#putBackingOff(pod, event);
    else this.#putReady(pod, event);
  }

  #putReady(pod: QueuedPod, event: string): void {
    this.#assertNowhere(pod.pod, "ready pods");
    this.#ready.put({ ...pod, readyMs: this.#clock.monotonicMs(), order: this.#order++ });
    this.#onIncoming("active", event);
    this.#waiter.wake();
  }

  #putBackingOff(pod: QueuedPod, event: string): void {
    this.#assertNowhere(pod.pod, "pods in back-off");
    // The distinction is upstream's: a pod that no plugin has rejected had an error.
    const isRejected = pod.rejectedBy.size > 0;
    (isRejected ? this.#backingOff.rejected : this.#backingOff.failed).put(pod);
    this.#onIncoming("backoff", event);
    this.#armBackoff();
    if (isRejected) this.#waiter.wake();
  }

  #popBackingOff(): QueuedPod | undefined {
    const next = this.#backingOff.rejected.pop();
    if (next === undefined) return undefined;
    this.#onIncoming("active", "PopFromBackoffQ");
    this.#armBackoff();
    return next;
  }

  #armBackoff(): void {
    this.#backoffTimer?.cancel();
    const { rejected, failed } = this.#backingOff;
    const nextMs = Math.min(rejected.peek()?.backoffUntilMs ?? Infinity, failed.peek()?.backoffUntilMs ?? Infinity);
    if (nextMs === Infinity) return;
    this.#backoffTimer = this.#clock.after(nextMs - this.#clock.monotonicMs(), () => {
      for (const backingOff of [rejected, failed]) {
        for (;;) {
          const due = backingOff.peek();
          if (due === undefined || due.backoffUntilMs > this.#clock.monotonicMs()) break;
          backingOff.remove(due.pod.uid);
          this.#putReady(due, "BackoffComplete");
        }
      }
      this.#armBackoff();
    });
  }

  #armFlush(): void {
    if (this.#flushTimer !== undefined) return;
    this.#flushTimer = this.#clock.after(flushIntervalMs, () => {
      this.#flushTimer = undefined;
      const longAgoMs = this.#clock.monotonicMs() - this.#options.podMaxWaitingMs;
      for (const waiting of this.#waiting.values()) {
        if (waiting.failedMs <= longAgoMs) this.#endWait(waiting, "UnschedulableTimeout");
      }
      if (this.#waiting.size > 0) this.#armFlush();
    });
  }

  #failed(attempted: QueuedPod, rejectedBy: ReadonlySet<string>): QueuedPod {
    assert(attempted.attempts > 0, `pod ${attempted.pod.key} failed without an attempt`);
    const nowMs = this.#clock.monotonicMs();
    const { podInitialBackoffMs, podMaxBackoffMs } = this.#options;
    const delayMs = backoffDelayMs(attempted.attempts, {
      initialMs: podInitialBackoffMs,
      maxMs: podMaxBackoffMs,
      factor: 2,
    });
    return { ...attempted, rejectedBy, failedMs: nowMs, backoffUntilMs: nowMs + delayMs };
  }

  #since(nowMs: number): Pick<QueuedPod, "readyMs" | "order" | "failedMs" | "backoffUntilMs" | "rejectedBy"> {
    return { readyMs: nowMs, order: this.#order++, failedMs: nowMs, backoffUntilMs: nowMs, rejectedBy: new Set() };
  }

  /** A pod is in at most one place, because otherwise it would be scheduled twice. */
  #assertNowhere({ uid, key }: PodInfo, to: string): void {
    assert(this.#find(uid) === undefined, `pod ${key} is added to ${to}, and is in the queue already`);
  }

  #find(uid: string): QueuedPod | undefined {
    const { rejected, failed } = this.#backingOff;
    const queued = this.#ready.find(uid) ?? rejected.find(uid) ?? failed.find(uid);
    return queued ?? this.#waiting.get(uid) ?? this.#gated.get(uid);
  }
}

function uidOf({ pod }: QueuedPod): string {
  return pod.uid;
}

function byEndOfBackoff(): KeyedHeap<QueuedPod> {
  return new KeyedHeap<QueuedPod>(uidOf, (a, b) => a.backoffUntilMs < b.backoffUntilMs);
}

function isGated(pod: Pod): boolean {
  return (pod.spec?.schedulingGates ?? []).length > 0;
}

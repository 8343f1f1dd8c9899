import { findCondition, isApiError, keyOf, type Logger, pods, withDisruptionTarget } from "@kintsugi/api";
import type { EventRecorder, ObjectWriter } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { ClusterState, PodInfo, PreemptionPlan } from "@kintsugi/scheduling";
import { InFlight } from "../binding/in-flight.ts";
import { statusWriteTimeoutMs, writePodCondition } from "../binding/pod-condition.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";

// The order of writes, so that a scheduler that starts after any of them can resume from the API:
//
//   status.nominatedNodeName ──► nominations of less important pods on that node are removed
//   of the preemptor                │
//      │ failed: no pod is changed, ▼
//      ▼ the pod is retried       each victim: condition DisruptionTarget ──► DELETE with its UID
//   (stop)                                                                ──► event
//
// Events do not retry the pod in the meantime, because it would fail again for each victim of each
// other pod.
//
// Nothing is lost before the nomination. After it the pod is first tried on that node. While a
// victim terminates the pod waits, and if other victims remain, it preempts them again.

/** Number of victims that are deleted concurrently, as with upstream's parallelism. */
const victimsAtOnce = 16;

export interface PreemptorDeps {
  client: Pick<ObjectWriter, "patch" | "delete">;
  clock: Clock;
  log: Logger;
  events: EventRecorder;
  state: ClusterState;
  queue: SchedulingQueue;
}

type Preemption = Extract<PreemptionPlan, { is: "preempt" }>;

/** Frees resources on a node for a waiting pod. */
export class Preemptor {
  readonly #deps: PreemptorDeps;

  constructor(deps: PreemptorDeps) {
    this.#deps = deps;
  }

  /**
   * Every later decision counts with the resources that are being freed, even if the writes fail.
   */
  begin(pod: PodInfo, { nodeName, victims }: Preemption): void {
    const { state, queue } = this.#deps;
    state.nominate(pod, nodeName);
    queue.hold(pod.uid);
    for (const { uid } of victims) state.preempting(uid);
  }

  /**
   * Writes the decision. This function never fails, because writes that were not done are repeated
   * with the pod.
   */
  async perform(pod: PodInfo, plan: Preemption, message: string): Promise<void> {
    const { queue } = this.#deps;
    try {
      await this.#perform(pod, plan, message);
    } finally {
      queue.release(pod.uid);
    }
  }

  async #perform(pod: PodInfo, { nodeName, victims }: Preemption, message: string): Promise<void> {
    const { client, clock, log, state, queue } = this.#deps;
    const deps = { client, log, nowMs: () => clock.nowMs() };
    const nominated = await writePodCondition(deps, pod.pod, {
      reason: "Unschedulable",
      message,
      nominatedNode: nodeName,
    });
    if (nominated !== "said") {
      for (const { uid } of victims) state.preemptingFailed(uid);
      this.#giveUp(pod, nodeName);
      return;
    }
    await this.#clearLessImportant(pod, nodeName);
    log.info("preempting", { pod: pod.key, node: nodeName, victims: victims.map(({ key }) => key) });
    let failures = 0;
    const preempt = (victim: PodInfo) =>
      this.#preempt(victim, pod, nodeName).catch((error: unknown) => {
        failures++;
        state.preemptingFailed(victim.uid);
        log.warn("cannot preempt a pod", { pod: victim.key, preemptor: pod.key, error });
        return false;
      });
    const inFlight = new InFlight(victimsAtOnce);
    for (const victim of victims.slice(0, -1)) {
      await inFlight.waitForRoom();
      inFlight.add(preempt(victim).then(() => {}));
    }
    await inFlight.settled();
    // The end of the last victim is the event for which the pod waits, as in upstream's
    // `prepareCandidateAsync`.
    queue.release(pod.uid);
    const last = victims.at(-1);
    const isLeaving = last !== undefined && (await preempt(last));
    if (failures > 0) queue.retry(pod.uid);
    else if (!isLeaving) queue.activate(pod.uid);
  }

  /** Resolves with whether the victim's deletion was requested, so that an event will follow. */
  async #preempt(victim: PodInfo, preemptor: PodInfo, nodeName: string): Promise<boolean> {
    const { client, state, events } = this.#deps;
    // The victim may have been removed in the meantime, or the pod may have been placed or removed.
    // No pod has to be deleted then.
    if (state.nodeOf(victim.uid) !== nodeName || state.nominatedNode(preemptor.uid) !== nodeName) {
      state.preemptingFailed(victim.uid);
      return false;
    }
    try {
      await this.#markDisrupted(victim, preemptor);
      await client.delete(pods, keyOf(victim.pod), {
        preconditions: { uid: victim.uid },
        timeoutMs: statusWriteTimeoutMs,
      });
    } catch (error) {
      // The pod was removed, or replaced by another pod of its name. Only its absence matters.
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
      state.preemptingFailed(victim.uid);
      return false;
    }
    events.record(victim.pod, {
      type: "Normal",
      reason: "Preempted",
      message: `Preempted by pod ${preemptor.uid} on node ${nodeName}`,
      action: "Preempting",
      related: preemptor.pod,
    });
    return true;
  }

  async #markDisrupted({ pod, uid }: PodInfo, preemptor: PodInfo): Promise<void> {
    const { client, clock } = this.#deps;
    const message = `${preemptor.pod.spec?.schedulerName}: preempting to accommodate a higher priority pod`;
    const told = withDisruptionTarget(pod, { reason: "PreemptionByScheduler", message }, clock.nowMs());
    const condition = { ...findCondition(told, "DisruptionTarget"), lastProbeTime: null };
    await client.patch(
      pods,
      keyOf(pod),
      { type: "strategic", body: { metadata: { uid }, status: { conditions: [condition] } } },
      { subresource: "status", timeoutMs: statusWriteTimeoutMs },
    );
  }

  /**
   * Less important pods may no longer fit there, so they are tried again. A failure of this write
   * has no consequences.
   */
  async #clearLessImportant({ priority, uid }: PodInfo, nodeName: string): Promise<void> {
    const { client, state, queue, log } = this.#deps;
    const others = [...state.nominatedOn(nodeName)].filter((other) => other.uid !== uid && other.priority < priority);
    for (const other of others) {
      state.removeNomination(other.uid);
      queue.retry(other.uid);
      const body = { metadata: { uid: other.uid }, status: { nominatedNodeName: null } };
      try {
        await client.patch(
          pods,
          keyOf(other.pod),
          { type: "strategic", body },
          { subresource: "status", timeoutMs: statusWriteTimeoutMs },
        );
      } catch (error) {
        if (!isApiError(error, "NotFound", "Conflict")) {
          log.warn("cannot remove a nomination", { pod: other.key, node: nodeName, error });
        }
      }
    }
  }

  /**
   * The nomination was not written to the API, so it does not exist, unless a later decision has
   * made another nomination.
   */
  #giveUp({ uid }: PodInfo, nodeName: string): void {
    const { state, queue } = this.#deps;
    if (state.nominatedNode(uid) !== nodeName) return;
    const ended = state.removeNomination(uid);
    // The retry must be requested first. Otherwise the resources that the failed attempt frees
    // would help the pod itself, and the pod would be tried without a back-off.
    queue.retry(uid);
    if (ended !== undefined) queue.onEvent({ is: "AssignedPodDelete", ...ended });
  }
}

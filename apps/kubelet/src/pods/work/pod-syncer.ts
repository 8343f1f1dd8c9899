import type { Logger } from "@kintsugi/api";
import type { ContainerRuntime } from "@kintsugi/cri";
import type { Files } from "../../machine/files/files.ts";
import { type BoundPod, isTerminalPhase } from "../../model/bound-pod.ts";
import { type NodeContext, podLogDirectory } from "../../model/node-context.ts";
import { mayRun, type ObservedContainer, type ObservedPod } from "../../model/observed-pod.ts";
import type { EndVerdict } from "../../model/verdicts.ts";
import { removeLogs } from "../../runtime/logs/rotated-logs.ts";
import type { PodIdentity } from "../../runtime/observation/container-events.ts";
import type { PodReader } from "../../runtime/observation/pod-reader.ts";
import type { PodResizes } from "../admission/pod-resizes.ts";
import type { PodPart, SyncedPod } from "../parts/pod-part.ts";
import { planPruning } from "../plan/plan-pruning.ts";
import type { PodPlanner } from "../plan/pod-planner.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import type { PodReporter } from "./pod-reporter.ts";
import type { PodStopper } from "./pod-stopper.ts";
import type { PodSync, SyncOutcome, Termination } from "./pod-sync.ts";
import type { SelfFence } from "./self-fence.ts";
import type { StepPerformer } from "./step-performer.ts";

/**
 * Limit of the rounds of a pod in one sync, after which it waits for the next wake-up, so that no
 * plan can loop forever.
 */
const roundsMax = 20;

export interface PodSyncerDeps {
  runtime: ContainerRuntime;
  files: Files;
  log: Logger;
  parts: readonly PodPart[];
  reader: PodReader;
  resizes: Pick<PodResizes, "settle" | "granted">;
  reporter: PodReporter;
  planner: PodPlanner;
  performer: StepPerformer;
  stopper: PodStopper;
  fence: Pick<SelfFence, "find">;
  statuses: Pick<StatusWriter, "release">;
}

/**
 * The work of a worker for its pod: read, report the state, perform the missing steps, read again.
 */
export class PodSyncer implements PodSync {
  readonly #deps: PodSyncerDeps;
  readonly #node: NodeContext;
  /**
   * Pods, as they were read, for which the last sync left nothing to do, by uid. Since that sync,
   * only the runtime can have changed the pods.
   */
  readonly #atRest = new Map<string, SyncedPod>();

  constructor(deps: PodSyncerDeps, node: NodeContext) {
    this.#deps = deps;
    this.#node = node;
  }

  async sync(asked: BoundPod, signal: AbortSignal): Promise<SyncOutcome> {
    const { parts, reader, resizes, reporter, planner, performer } = this.#deps;
    for (const part of parts) part.begin?.(asked);
    this.#reportEnds(asked);
    let observed = await reader.read(asked, signal);
    let pod = await resizes.settle(asked, observed);
    let verdict: EndVerdict | undefined;
    for (const part of parts) {
      const judged = verdict === undefined ? part.admit?.({ pod, observed }, signal) : undefined;
      verdict ??= judged instanceof Promise ? await judged : judged;
    }
    for (const part of parts) part.follow?.({ pod, observed });
    let status = reporter.report({ pod, observed }, { over: false, verdict });
    if (isTerminalPhase(status.phase)) return { ended: true };
    if (await this.#staysFenced({ pod, observed }, signal)) return { ended: false };
    for (const part of parts) {
      const hold = part.hold?.(pod);
      if (hold) return { ended: false, ...hold };
    }
    for (const part of parts) if (part.refresh) await part.refresh({ pod, observed });

    let retryAfterMs: number | undefined;
    for (const part of parts) retryAfterMs = earliest(retryAfterMs, part.untilEndMs?.(pod, status));
    const failed = new Set<string>();
    for (let round = 0; round < roundsMax; round++) {
      // A container that has just failed to start is not tried again in the same round.
      const steps = planner.plan({ pod, observed, status }, failed);
      if (steps.length === 0) break;
      const result = await performer.perform({ pod, observed, steps }, signal);
      observed = await reader.read(pod, signal);
      for (const part of parts) part.follow?.({ pod, observed });
      pod = await resizes.settle(asked, observed);
      status = reporter.report({ pod, observed });
      if (isTerminalPhase(status.phase)) return { ended: true };
      retryAfterMs = earliest(retryAfterMs, result.retryAfterMs);
      for (const name of result.failed) failed.add(name);
      if (!result.progressed) break;
    }
    await this.#prune(observed, signal);
    this.#atRest.set(asked.metadata.uid, { pod, observed });
    return { ended: false, retryAfterMs };
  }

  async terminate(asked: BoundPod, { graceSeconds, verdict }: Termination, signal: AbortSignal): Promise<void> {
    const { parts, reader, resizes, reporter, stopper } = this.#deps;
    const { uid } = asked.metadata;
    this.#atRest.delete(uid);
    const observed = await reader.read(asked, signal);
    const pod = resizes.granted(asked, observed);
    for (const part of parts) part.stopping?.(uid);
    reporter.report({ pod, observed }, { over: false, verdict });
    await stopper.stopPod({ pod, observed, graceSeconds, isDeadline: verdict?.isDeadline }, signal);
    const after = await reader.read(pod, signal);
    const stillRunning = after.containers.filter(mayRun);
    if (stillRunning.length > 0) {
      throw new Error(`${stillRunning.length} containers of ${pod.metadata.name} still run after they were stopped`);
    }
    for (const part of parts) {
      const stopped = part.stopped?.(uid, signal);
      if (stopped) await stopped;
    }
    reporter.report({ pod, observed: after }, { over: true, verdict });
    for (const part of parts) {
      const ended = part.afterEnd?.(uid);
      if (ended) await ended;
    }
  }

  async clear(pod: PodIdentity, signal: AbortSignal): Promise<void> {
    const { containers } = await this.#deps.reader.readBare(pod, signal);
    for (const container of containers) if (!mayRun(container)) await this.#removeContainer(container, signal);
  }

  release(pod: BoundPod): void {
    this.#deps.statuses.release(pod);
  }

  /**
   * Frees the pod's requested resources, as upstream and the scheduler do. Otherwise a pod that was
   * bound in the meantime would be rejected because of a pod that clients can no longer see.
   */
  vacate(uid: string): void {
    for (const part of this.#deps.parts) part.vacate?.(uid);
  }

  async remove(pod: PodIdentity, signal: AbortSignal): Promise<void> {
    const { parts, reader, files, stopper, log } = this.#deps;
    await stopper.removeUnknown(await reader.readBare(pod, signal), signal);
    reader.noteRemoved(await reader.readBare(pod, signal));
    for (const part of parts) {
      // An unreachable driver never delays the other parts; its claims are cleaned up later.
      const stopped = part.stopped?.(pod.uid, signal)?.catch((error: unknown) => {
        if (signal.aborted) throw error;
        log.warn("part of a pod not stopped", { part: part.name, pod: `${pod.namespace}/${pod.name}`, error });
      });
      if (stopped) await stopped;
    }
    await this.removeRemains(pod.uid);
    await files.remove(podLogDirectory(this.#node, pod));
  }

  /**
   * Removes the volumes, the directory and the cgroups of a pod without containers or sandboxes in
   * the runtime.
   */
  async removeRemains(uid: string): Promise<void> {
    for (const part of this.#deps.parts) if (part.removeRemains) await part.removeRemains(uid);
  }

  forget(uid: string): void {
    for (const part of this.#deps.parts) part.forget?.(uid);
    this.#deps.performer.forget(uid);
    this.#atRest.delete(uid);
  }

  /**
   * Reports the containers whose end the runtime has announced, without reading the runtime first,
   * because a read takes longer when the runtime has much to clean up. Upstream's evented PLEG,
   * whose events contain the status, also does this. The next steps wait for the read.
   */
  #reportEnds(asked: BoundPod): void {
    const { uid } = asked.metadata;
    const last = this.#atRest.get(uid);
    // The work on the pod starts here.
    this.#atRest.delete(uid);
    if (!last) return;
    const pod = { ...asked, spec: last.pod.spec };
    const observed = this.#deps.reader.findEnded(pod, last.observed);
    if (observed) this.#deps.reporter.report({ pod, observed });
  }

  /** Stops a pod that another node may run, and reports how it ended. */
  async #staysFenced({ pod, observed }: SyncedPod, signal: AbortSignal): Promise<boolean> {
    const { fence, reader, reporter, stopper } = this.#deps;
    const stop = fence.find(pod.metadata.uid);
    if (!stop) return false;
    if (observed.containers.some(mayRun) || observed.sandboxes.some(({ ready }) => ready)) {
      await stopper.stopPod({ pod, observed, ...stop, isDeadline: true }, signal);
      reporter.report({ pod, observed: await reader.read(pod, signal) });
    }
    return true;
  }

  async #prune(observed: ObservedPod, signal: AbortSignal): Promise<void> {
    const { containers, sandboxIds } = planPruning(observed);
    for (const container of containers) await this.#removeContainer(container, signal);
    for (const id of sandboxIds) await this.#deps.runtime.removePodSandbox(id, signal);
  }

  async #removeContainer({ id, logPath }: ObservedContainer, signal: AbortSignal): Promise<void> {
    if (logPath !== "") await removeLogs(this.#deps.files, logPath);
    await this.#deps.runtime.removeContainer(id, signal);
  }
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

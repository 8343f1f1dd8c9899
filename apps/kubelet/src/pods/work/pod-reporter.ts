import { controllerOf, findCondition, type PodStatus, replacementNeededCondition } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { withVolumeMounts } from "../../containers/config/recursive-read-only.ts";
import { type BoundPod, isTerminalPhase } from "../../model/bound-pod.ts";
import type { NodeContext } from "../../model/node-context.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { EndVerdict } from "../../model/verdicts.ts";
import type { PodResizes } from "../admission/pod-resizes.ts";
import type { PodPart, SyncedPod } from "../parts/pod-part.ts";
import type { ProbeVerdicts } from "../plan/steps.ts";
import { withAllTerminated } from "../status/all-terminated.ts";
import { podStatus } from "../status/pod-status.ts";
import type { StartFailures } from "../status/start-failures.ts";
import type { StatusWriter } from "../status/status-writer.ts";

export interface PodReporterDeps {
  clock: Clock;
  events: PodEvents;
  statuses: Pick<StatusWriter, "find" | "set">;
  failures: Pick<StartFailures, "adopt" | "find">;
  probes: ProbeVerdicts;
  resizes: Pick<PodResizes, "record">;
  parts: readonly PodPart[];
}

interface ReportedEnd {
  /** The pod runs no containers, and will not run any. */
  readonly over: boolean;
  readonly verdict?: EndVerdict | undefined;
}

/** Computes the status of a pod, and passes it to the writer. */
export class PodReporter {
  readonly #deps: PodReporterDeps;
  readonly #options: { node: NodeContext; backoffResetMs: number };

  constructor(deps: PodReporterDeps, options: { node: NodeContext; backoffResetMs: number }) {
    this.#deps = deps;
    this.#options = options;
  }

  report({ pod, observed }: SyncedPod, { over, verdict }: ReportedEnd = { over: false }): PodStatus {
    const { clock, statuses, failures, probes, resizes, parts } = this.#deps;
    const { node, backoffResetMs } = this.#options;
    const { uid } = pod.metadata;
    failures.adopt(uid, pod);
    const previous = statuses.find(uid) ?? pod.status ?? {};
    const computed = podStatus({
      pod,
      observed,
      previous,
      failureOf: (containerName) => failures.find(uid, containerName),
      probes,
      resizes: resizes.record(uid),
      otherConditions: parts.flatMap((part) => part.conditions?.({ pod, observed }) ?? []),
      nodeIps: node.nodeIps,
      nowMs: clock.nowMs(),
      over,
      backoffResetMs,
      ...(verdict ? { verdict } : {}),
    });
    const mounted = withVolumeMounts(computed, { pod, previous, isSupported: node.mountsRecursively() });
    const status = over ? withAllTerminated(mounted) : mounted;
    this.#emitReplacement(pod, previous, status);
    statuses.set(pod, over ? status : this.#withDelayedEnd(uid, status, previous));
    return status;
  }

  #withDelayedEnd(uid: string, status: PodStatus, previous: PodStatus): PodStatus {
    if (!isTerminalPhase(status.phase) || isTerminalPhase(previous.phase)) return status;
    return this.#deps.parts.some((part) => part.delaysEnd?.(uid)) ? { ...status, phase: "Running" } : status;
  }

  /**
   * Emits the event once, when the condition is set. The condition is in the status, so a kubelet
   * that has just started does not repeat the event.
   */
  #emitReplacement(pod: BoundPod, previous: PodStatus, status: PodStatus): void {
    const now = findCondition(status.conditions, replacementNeededCondition);
    if (!now || findCondition(previous.conditions, replacementNeededCondition)) return;
    const owner = controllerOf(pod);
    const moves = owner && owner.kind !== "DaemonSet" && owner.kind !== "Node";
    const next = moves
      ? `${owner.kind} ${owner.name} creates a new pod, if possible on another node`
      : "no controller could create a pod on another node, so its containers continue to be restarted";
    this.#deps.events.warning(pod, "ReplacementNeeded", `${now.message}: ${next}.`);
  }
}

import { parseTimestamp, type PodStatus } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type BoundPod, isTerminalPhase } from "../../model/bound-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { EndVerdict } from "../../model/verdicts.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import type { PodPart, SyncedPod } from "./pod-part.ts";

export interface PodDeadlineDeps {
  clock: Pick<Clock, "nowMs">;
  events: PodEvents;
  statuses: Pick<StatusWriter, "find">;
}

/** Ends a pod when its activeDeadlineSeconds have elapsed. */
export class PodDeadline implements PodPart {
  readonly name = "deadline";
  readonly #deps: PodDeadlineDeps;

  constructor(deps: PodDeadlineDeps) {
    this.#deps = deps;
  }

  admit({ pod }: SyncedPod): EndVerdict | undefined {
    const status = this.#deps.statuses.find(pod.metadata.uid) ?? pod.status ?? {};
    const leftMs = this.untilEndMs(pod, status);
    // The pod's end may just have been reported, and a pod that ended by itself met its deadline.
    if (leftMs === undefined || leftMs > 0 || isTerminalPhase(status.phase)) return undefined;
    const verdict = {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    };
    this.#deps.events.normal(pod, verdict.reason, verdict.message);
    return verdict;
  }

  untilEndMs(pod: BoundPod, status: PodStatus): number | undefined {
    const { activeDeadlineSeconds } = pod.spec;
    if (activeDeadlineSeconds === undefined || status.startTime === undefined) return undefined;
    return Math.max(0, parseTimestamp(status.startTime) + activeDeadlineSeconds * 1000 - this.#deps.clock.nowMs());
  }
}

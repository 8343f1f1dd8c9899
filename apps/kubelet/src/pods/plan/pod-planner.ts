import type { PodStatus } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { ResizeRecord } from "../../model/allocation.ts";
import { type BoundPod, containerStatusesOf } from "../../model/bound-pod.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";
import { planPod } from "./plan-pod.ts";
import type { RestartBackoffOptions } from "./restart-backoff.ts";
import { holdsUpNobody, type PodStep, type ProbeVerdicts } from "./steps.ts";

export interface PodPlannerDeps {
  clock: Pick<Clock, "nowMs">;
  probes: ProbeVerdicts;
  resizes: { record(uid: string): ResizeRecord };
  /** The kills in progress. */
  kills: { has(containerId: string): boolean };
}

/** Plans the steps of a pod that are neither in progress nor have just failed. */
export class PodPlanner {
  readonly #deps: PodPlannerDeps;
  readonly #backoff: RestartBackoffOptions;

  constructor(deps: PodPlannerDeps, options: RestartBackoffOptions) {
    this.#deps = deps;
    this.#backoff = options;
  }

  /** @param failed names of the containers that failed to start in this sync. */
  plan(
    { pod, observed, status }: { pod: BoundPod; observed: ObservedPod; status: PodStatus },
    failed: ReadonlySet<string>,
  ): PodStep[] {
    const { clock, probes } = this.#deps;
    const recorded = containerStatusesOf({ status });
    const resizes = this.#deps.resizes.record(pod.metadata.uid);
    const plan = planPod({ pod, observed, probes, recorded, resizes, nowMs: clock.nowMs() }, this.#backoff);
    return plan.filter(
      (step) => !this.#isUnderWay(step) && !(step.kind === "start-container" && failed.has(step.container.name)),
    );
  }

  #isUnderWay(step: PodStep): boolean {
    return step.kind === "kill-container" && holdsUpNobody(step) && this.#deps.kills.has(step.container.id);
  }
}

import { countedNoun } from "@kintsugi/api";
import { type BoundPod, containersOf } from "../../model/bound-pod.ts";
import { escalationOf, failingContainers, type PodRestarts } from "../../model/escalation.ts";
import type { PodLife } from "../../model/pod-life.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";
import { decideRestart, type RestartBackoffOptions } from "./restart-backoff.ts";
import { restartsAfter } from "../../model/should-restart.ts";

export interface EscalationInput {
  pod: BoundPod;
  /** The observed sandboxes and containers of the current life. */
  current: ObservedPod;
  life: PodLife;
  options: RestartBackoffOptions;
}

/** The whole pod is to be restarted. */
export interface PodRestart {
  container: string;
  /** The counts include this restart. */
  podRestarts: PodRestarts;
  /** The reason, and the next step. */
  message: string;
}

/**
 * Decides whether the whole pod is restarted instead of a container that has failed often enough.
 * The restart happens when that container could start again, so escalation never makes a crash loop
 * faster than its back-off.
 */
export function planEscalation(input: EscalationInput, nowMs: number): PodRestart | undefined {
  const { pod, current, life, options } = input;
  const escalation = escalationOf(pod);
  if (!escalation || life.restartRequested) return undefined;
  const due = failingContainers(pod, current, { resetMs: options.resetMs, nowMs }).find(
    ({ container, name, podRestarts }) => {
      const spec = containersOf(pod).find((each) => each.name === name);
      if (container.state !== "exited" || podRestarts >= escalation.podRestarts) return false;
      if (!spec || !restartsAfter(pod, spec, container.exitCode)) return false;
      return decideRestart(container, options, nowMs).kind === "start";
    },
  );
  if (!due) return undefined;
  const inARow = due.podRestarts + 1;
  const failed = countedNoun(escalation.containerRestarts, "restart");
  const message =
    `Container ${due.name} failed ${failed} in a row, so the whole pod is restarted in a new sandbox with empty volumes ` +
    `(pod restart ${inARow} of ${escalation.podRestarts}). ` +
    (inARow < escalation.podRestarts
      ? `If ${failed} fail again, so is it.`
      : `If ${failed} fail again, it is marked for replacement on another node.`);
  return { container: due.name, podRestarts: { inARow, ever: life.podRestarts.ever + 1 }, message };
}

import { countedNoun, parsePodEscalation, type PodEscalation, podEscalationAnnotation } from "@kintsugi/api";
import { annotationNames } from "./labels.ts";
import { findContainer, nameOf, type ObservedContainer, type ObservedPod } from "./observed-pod.ts";
import { type BoundPod, containersOf } from "./bound-pod.ts";
import { sharesBackoff } from "./allocation.ts";

// The steps when a container repeatedly fails, for kintsugi.dev/escalation:
// containerRestarts=2,podRestarts=1
//
//   sandbox   container   carries     ends
//   0         web#0       0 in a row  at once: restarted
//   0         web#1       1           immediately: restarted after its back-off
//   0         web#2       2           immediately: two restarts have failed, so the pod is
//                                     restarted instead of web#3
//   1 (1/1)   web#3       0           … the same again …
//   1 (1/1)   web#5       2           immediately: a restart of the pod also failed: condition
//                                     ReplacementNeeded. Its restarts continue, under its back-off,
//                                     until its controller has replaced the pod
//
// The kubelet has no state for it: containers store the restarts, and the sandbox stores the
// restarts of the pod ("1/1"). An instance that ran for longer than the back-off's reset begins a
// new series, and its successors are marked as recovered.

/** The history of a container up to one of its instances. */
export interface Streak {
  /** Consecutive restarts before and including this instance. */
  restarts: number;
  /**
   * The container has run for long in this sandbox, or has changed since, so earlier restarts of
   * the pod no longer count against it.
   */
  recovered: boolean;
}

/** The history of the first instance with another image or other resources. */
export const streakOfChanged: Streak = { restarts: 0, recovered: true };

function streakOf({ annotations }: ObservedContainer): Streak {
  const text = annotations[annotationNames.restartsInARow] ?? "";
  return {
    restarts: /^\d{1,6}$/.test(text) ? Number(text) : 0,
    recovered: annotations[annotationNames.recovered] === "true",
  };
}

/**
 * Returns the history for the instance after `previous`; the first instance of a pod's life has no
 * history.
 */
export function nextStreak(previous: ObservedContainer | undefined, resetMs: number): Streak {
  if (!previous) return { restarts: 0, recovered: false };
  const streak = streakOf(previous);
  // The container has not failed, because it was stopped with its sandbox.
  if (previous.state !== "exited") return streak;
  if (ranFor(previous, previous.finishedAtMs) > resetMs) return { restarts: 1, recovered: true };
  return { ...streak, restarts: streak.restarts + 1 };
}

/**
 * Writes the history as annotations for the runtime; an instance without restarts has no
 * annotations.
 */
export function streakAnnotations({ restarts, recovered }: Streak): Record<string, string> {
  return {
    ...(restarts === 0 ? {} : { [annotationNames.restartsInARow]: String(restarts) }),
    ...(recovered ? { [annotationNames.recovered]: "true" } : {}),
  };
}

/**
 * The number of restarts of the whole pod, because its containers failed, that preceded one of its
 * sandboxes.
 */
export interface PodRestarts {
  /** The restarts since a failed container last ran for long. */
  inARow: number;
  /** The unique number of this life of the pod. */
  ever: number;
}

export const noPodRestarts: PodRestarts = { inARow: 0, ever: 0 };

/** Parses the form in a sandbox's annotation. */
export function podRestartsOf(annotations: Readonly<Record<string, string>> | undefined): PodRestarts {
  const text = annotations?.[annotationNames.podRestarts] ?? "";
  const [, inARow, ever] = /^(\d{1,4})\/(\d{1,6})$/.exec(text) ?? [];
  return inARow === undefined ? noPodRestarts : { inARow: Number(inARow), ever: Number(ever) };
}

export function podRestartAnnotations({ inARow, ever }: PodRestarts): Record<string, string> {
  return ever === 0 ? {} : { [annotationNames.podRestarts]: `${inARow}/${ever}` };
}

/**
 * Returns the pod's escalation; undefined when the pod has no escalation, or an escalation that
 * cannot be parsed.
 */
export function escalationOf(pod: BoundPod): PodEscalation | undefined {
  return readEscalation(pod).escalation;
}

/**
 * Returns the reason why the pod's escalation is invalid. The API server rejects such a pod, but a
 * pod may not have come from it.
 */
export function escalationFault(pod: BoundPod): string | undefined {
  return readEscalation(pod).fault;
}

function readEscalation({ metadata }: BoundPod): { escalation?: PodEscalation; fault?: string } {
  const text = metadata.annotations?.[podEscalationAnnotation];
  if (text === undefined) return {};
  try {
    return { escalation: parsePodEscalation(text) };
  } catch (error) {
    return { fault: `${podEscalationAnnotation} ${(error as Error).message}` };
  }
}

export interface Failing {
  container: ObservedContainer;
  name: string;
  failedRestarts: number;
  /** Restarts of the pod that have not helped this container. */
  podRestarts: number;
}

/**
 * The containers that have failed as often as the pod's escalation allows, in the order of the
 * spec.
 */
export function failingContainers(
  pod: BoundPod,
  current: ObservedPod,
  { resetMs, nowMs }: { resetMs: number; nowMs: number },
): Failing[] {
  const escalation = escalationOf(pod);
  if (!escalation) return [];
  const { inARow } = podRestartsOf(current.sandboxes[0]?.annotations);
  return containersOf(pod).flatMap((container) => {
    const newest = findContainer(current, container.name);
    // A change since the failure is tried first.
    if (!newest || !sharesBackoff(container, newest)) return [];
    const { restarts, recovered } = streakOf(newest);
    const hasEnded = newest.state === "exited";
    const ran = ranFor(newest, hasEnded ? newest.finishedAtMs : nowMs);
    // While the container runs, its last restart has not failed yet.
    const failedRestarts = ran > resetMs ? 0 : Math.max(0, hasEnded ? restarts : restarts - 1);
    if (failedRestarts < escalation.containerRestarts) return [];
    return [{ container: newest, name: nameOf(newest), failedRestarts, podRestarts: recovered ? 0 : inARow }];
  });
}

/**
 * Returns the containers that only a new pod on another node may help, and the message; undefined
 * while another step remains.
 */
export function replacementNeeded(
  pod: BoundPod,
  current: ObservedPod,
  when: { resetMs: number; nowMs: number },
): string | undefined {
  const escalation = escalationOf(pod);
  if (!escalation) return undefined;
  const lost = failingContainers(pod, current, when).find(({ podRestarts }) => podRestarts >= escalation.podRestarts);
  if (!lost) return undefined;
  const tried = `Container ${lost.name} failed ${countedNoun(escalation.containerRestarts, "restart")} in a row`;
  const also =
    escalation.podRestarts === 0 ? "" : `, also after ${countedNoun(escalation.podRestarts, "restart")} of the pod`;
  return `${tried}${also}`;
}

/** Measured like the back-off, from the creation of the instance. */
function ranFor({ createdAtMs }: ObservedContainer, untilMs: number): number {
  return untilMs - createdAtMs;
}

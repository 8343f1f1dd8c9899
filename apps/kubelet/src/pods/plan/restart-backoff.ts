import { parsePodBackoff, type PodBackoff, podBackoffAnnotation } from "@kintsugi/api";
import type { BoundPod } from "../../model/bound-pod.ts";
import { annotationNames } from "../../model/labels.ts";
import type { ObservedContainer } from "../../model/observed-pod.ts";

export interface RestartBackoffOptions {
  initialMs: number;
  maxMs: number;
  /** Running time after which a container's back-off is reset. Default 10 min. */
  resetMs: number;
  /**
   * The lowest back-off of any pod. Default 1 s, because a runtime that starts a container twenty
   * times a second has no time for other work.
   */
  floorMs: number;
}

/** Tolerance for rounding and small clock corrections. */
const clockErrorMs = 1000;

/**
 * Returns the node's back-off, or instead the back-off of the pod's annotation, which is never
 * below the node's minimum.
 */
export function backoffOf(pod: BoundPod, node: RestartBackoffOptions): RestartBackoffOptions {
  const asked = pod.metadata.annotations?.[podBackoffAnnotation];
  if (asked === undefined) return node;
  const { initialMs = node.initialMs, maxMs = Math.max(node.maxMs, initialMs) } = readBackoff(asked);
  const max = Math.max(node.floorMs, maxMs);
  return { ...node, initialMs: Math.min(Math.max(node.floorMs, initialMs), max), maxMs: max };
}

/**
 * The API server rejects an invalid annotation. A pod that did not come from the API server gets
 * the node's back-off.
 */
function readBackoff(text: string): PodBackoff {
  try {
    return parsePodBackoff(text);
  } catch {
    return {};
  }
}

/**
 * Upstream stores the delays in memory and loses them with the kubelet. Here each container stores,
 * in an annotation, the time that it has to stay down after it exits, so the decision is a function
 * of the runtime's state:
 *
 *   attempt   created with   exits   may start again
 *   0         0 (nothing)    t0      t0 + 0            the first restart has no delay
 *   1         10 s           t1      t1 + 10 s
 *   2         20 s           t2      t2 + 20 s         … doubled up to 300 s
 *   7         300 s          t7      immediately, if it ran for over 10 min; the next one
 *                                    carries 10 s again
 *
 * Delays count from the exit (finishedAt), not from its discovery.
 */
export type RestartDecision =
  | { kind: "start"; carryMs: number }
  | { kind: "wait"; backoffMs: number; remainingMs: number };

/**
 * Decides whether the container with this newest instance may start now, and the delay that its
 * next instance stores.
 */
export function decideRestart(
  newest: ObservedContainer | undefined,
  options: RestartBackoffOptions,
  nowMs: number,
): RestartDecision {
  if (!newest) return { kind: "start", carryMs: 0 };
  const carriedMs = carriedBackoffMs(newest, options);
  // The instance has not failed, because it is stopped with its sandbox. Its delay passes to the
  // next instance.
  if (newest.state !== "exited") return { kind: "start", carryMs: carriedMs };
  if (carriedMs === 0 || newest.finishedAtMs - newest.createdAtMs > options.resetMs) {
    return { kind: "start", carryMs: options.initialMs };
  }
  // The exit is in the future because the node's wall clock was set back, so the time since the
  // exit is unknown. Waiting for the clock to reach that time could take days, while starting
  // immediately skips only one delay.
  const hasClockGoneBack = newest.finishedAtMs > nowMs + clockErrorMs;
  const remainingMs = hasClockGoneBack ? 0 : Math.min(carriedMs, newest.finishedAtMs + carriedMs - nowMs);
  if (remainingMs > 0) return { kind: "wait", backoffMs: carriedMs, remainingMs };
  return { kind: "start", carryMs: Math.min(carriedMs * 2, options.maxMs) };
}

/**
 * The image or the resources of the container have changed since the newest instance was created,
 * so there is no delay. As in upstream's `GetBackoffKey`, only one start has no delay: this start
 * or, if no instance had ended before it, the restart after the first crash.
 */
export function startAfterChange(
  newest: ObservedContainer,
  options: RestartBackoffOptions,
): Extract<RestartDecision, { kind: "start" }> {
  return { kind: "start", carryMs: newest.metadata.attempt === 0 ? 0 : options.initialMs };
}

/**
 * A container without the annotation was not created by a Kintsugi kubelet, so its attempt number
 * is the best estimate.
 */
function carriedBackoffMs(container: ObservedContainer, options: RestartBackoffOptions): number {
  const annotated = container.annotations[annotationNames.restartBackoffMs];
  if (annotated !== undefined && /^\d+$/.test(annotated)) return Math.min(Number(annotated), options.maxMs);
  if (container.metadata.attempt === 0) return 0;
  return Math.min(options.initialMs * 2 ** (container.metadata.attempt - 1), options.maxMs);
}

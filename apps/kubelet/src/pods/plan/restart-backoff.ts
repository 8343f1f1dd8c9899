import { parsePodBackoff, type PodBackoff, podBackoffAnnotation } from "@kintsugi/api";
import type { BoundPod } from "../../model/bound-pod.ts";
import { annotationNames } from "../../model/labels.ts";
import type { ObservedContainer } from "../../model/observed-pod.ts";

export interface RestartBackoffOptions {
  initialMs: number;
  maxMs: number;
  /** A container that ran this long starts its back-off again. Default 10 min. */
  resetMs: number;
  /**
   * The lowest back-off of any pod. Default 1 s: a runtime that starts a container twenty times a
   * second does nothing else.
   */
  floorMs: number;
}

/** Rounding and small corrections of a clock may amount to this much. */
const clockErrorMs = 1000;

/**
 * Returns the node's back-off, or that of the pod's annotation in its place, never below the node's
 * floor.
 */
export function backoffOf(pod: BoundPod, node: RestartBackoffOptions): RestartBackoffOptions {
  const asked = pod.metadata.annotations?.[podBackoffAnnotation];
  if (asked === undefined) return node;
  const { initialMs = node.initialMs, maxMs = Math.max(node.maxMs, initialMs) } = readBackoff(asked);
  const max = Math.max(node.floorMs, maxMs);
  return { ...node, initialMs: Math.min(Math.max(node.floorMs, initialMs), max), maxMs: max };
}

/**
 * The API server refuses an unreadable annotation; a pod that came around it gets the node's
 * back-off.
 */
function readBackoff(text: string): PodBackoff {
  try {
    return parsePodBackoff(text);
  } catch {
    return {};
  }
}

/**
 * Upstream keeps the delays in memory and forgets them with the kubelet. Here each container
 * carries, in an annotation, the time that it has to stay down after it exits, so the decision is a
 * function of the runtime's state:
 *
 *   attempt   created with   exits   may start again
 *   0         0 (nothing)    t0      t0 + 0            the first restart is free, as upstream's is
 *   1         10 s           t1      t1 + 10 s
 *   2         20 s           t2      t2 + 20 s         … doubled up to 300 s
 *   7         300 s          t7      at once, if it had run for more than 10 min; the next one
 *                                    carries 10 s again
 *
 * Delays count from the exit (finishedAt), not from its discovery.
 */
export type RestartDecision =
  | { kind: "start"; carryMs: number }
  | { kind: "wait"; backoffMs: number; remainingMs: number };

/**
 * Decides whether the container with that newest instance may start now, and the delay that its
 * next instance carries.
 */
export function decideRestart(
  newest: ObservedContainer | undefined,
  options: RestartBackoffOptions,
  nowMs: number,
): RestartDecision {
  if (!newest) return { kind: "start", carryMs: 0 };
  const carriedMs = carriedBackoffMs(newest, options);
  // It has not failed: it is stopped with its sandbox. Its wait passes to the next one.
  if (newest.state !== "exited") return { kind: "start", carryMs: carriedMs };
  if (carriedMs === 0 || newest.finishedAtMs - newest.createdAtMs > options.resetMs) {
    return { kind: "start", carryMs: options.initialMs };
  }
  // An exit in the future: the node's wall clock went back, and the time since the exit is unknown.
  // Waiting for the clock to be there again could take days; starting immediately costs one delay.
  const hasClockGoneBack = newest.finishedAtMs > nowMs + clockErrorMs;
  const remainingMs = hasClockGoneBack ? 0 : Math.min(carriedMs, newest.finishedAtMs + carriedMs - nowMs);
  if (remainingMs > 0) return { kind: "wait", backoffMs: carriedMs, remainingMs };
  return { kind: "start", carryMs: Math.min(carriedMs * 2, options.maxMs) };
}

/**
 * The image or the resources of the container have changed since the newest instance was made:
 * nothing is waited for. As upstream, this start is the free one, unless no instance had ended
 * before it; then the first crash's is.
 */
export function startAfterChange(
  newest: ObservedContainer,
  options: RestartBackoffOptions,
): Extract<RestartDecision, { kind: "start" }> {
  return { kind: "start", carryMs: newest.metadata.attempt === 0 ? 0 : options.initialMs };
}

/**
 * A container without the annotation was not made by this kubelet's kind: its attempt number is the
 * best that is known.
 */
function carriedBackoffMs(container: ObservedContainer, options: RestartBackoffOptions): number {
  const annotated = container.annotations[annotationNames.restartBackoffMs];
  if (annotated !== undefined && /^\d+$/.test(annotated)) return Math.min(Number(annotated), options.maxMs);
  if (container.metadata.attempt === 0) return 0;
  return Math.min(options.initialMs * 2 ** (container.metadata.attempt - 1), options.maxMs);
}

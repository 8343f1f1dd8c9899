import {
  findCondition,
  noExecuteTaints,
  parseTimestamp,
  type Node,
  type Pod,
  type Taint,
  tolerates,
} from "@kintsugi/api";

const notReadyKey = "node.kubernetes.io/not-ready";
const unreachableKey = "node.kubernetes.io/unreachable";
/**
 * Instants in the API are whole seconds, rounded down, so an instant that looks a second old may be
 * now.
 */
const roundingMs = 1000;

/**
 * Returns the time at which a pod was first exposed to a taint, on this process's monotonic clock.
 */
export type ExposedSince = (taint: Taint) => number;

/**
 * Returns the time at which the pod is evicted from its node, on the clock of `since`; undefined
 * when it may remain forever. Each taint grants the pod the time of its first matching toleration,
 * or no time without a matching toleration, and the earliest end counts.
 */
export function planEviction(pod: Pod, node: Node, since: ExposedSince): { atMs: number } | undefined {
  let atMs = Infinity;
  for (const taint of noExecuteTaints(node.spec?.taints)) {
    const toleration = (pod.spec?.tolerations ?? []).find((candidate) => tolerates(candidate, taint));
    if (!toleration) return { atMs: Number.NEGATIVE_INFINITY };
    if (toleration.tolerationSeconds === undefined) continue;
    atMs = Math.min(atMs, since(taint) + Math.max(0, toleration.tolerationSeconds) * 1000);
  }
  return atMs === Infinity ? undefined : { atMs };
}

/**
 * Returns the time for which the pod has certainly been exposed to the taint, by the API's records:
 * since the taint was added, or since the pod was bound to the node, whichever is later. The time
 * is never negative, even if clocks jump.
 */
export function exposedForMs(pod: Pod, taint: Taint, nowMs: number): number {
  const scheduled = findCondition(pod.status?.conditions, "PodScheduled");
  const boundAt = scheduled?.lastTransitionTime ?? pod.status?.startTime ?? pod.metadata.creationTimestamp;
  const instants = [taint.timeAdded, boundAt].map((text) => (text === undefined ? undefined : parseTimestamp(text)));
  const known = instants.filter((instant) => instant !== undefined);
  if (taint.timeAdded === undefined || known.length === 0) return 0;
  return Math.max(0, nowMs - Math.max(...known) - roundingMs);
}

/**
 * Returns the condition behind a taint: not-ready and unreachable are one condition, whose time
 * does not begin again when they are swapped.
 */
export function troubleOf(taint: Taint): string {
  return taint.key === notReadyKey || taint.key === unreachableKey ? "node-down" : taint.key;
}

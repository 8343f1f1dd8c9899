import { findCondition, isPodReady, parseTimestamp, type Pod } from "@kintsugi/api";

/**
 * Time until the next ready pod has been ready for `minReadySeconds`; undefined if all ready pods
 * have been ready for that time.
 */
export function nextAvailabilityMs(
  pods: readonly Pod[],
  minReadySeconds: number | undefined,
  nowMs: number,
): number | undefined {
  const minReadyMs = (minReadySeconds ?? 0) * 1000;
  if (minReadyMs === 0) return undefined;
  const waits = pods.flatMap((pod) => {
    const since = isPodReady(pod) ? findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime : undefined;
    const waitMs = since === undefined ? 0 : parseTimestamp(since) + minReadyMs - nowMs;
    return waitMs > 0 ? [waitMs] : [];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}

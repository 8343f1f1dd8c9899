import type { TimerProfile } from "@kintsugi/api";
import type { Bar } from "./bar.ts";

/** A period in which a workload was degraded: it had fewer ready pods than it needs. */
export interface PodShortage {
  readonly fromMs: number;
  /** Undefined while the period lasts. */
  readonly toMs: number | undefined;
  /** A pod was lost with its node, so that the node's timers elapsed. */
  readonly byNode: boolean;
}

/** The downtime and the degraded time of a workload, as defined in the glossary. */
export interface WorkloadDowntime {
  readonly shortages: readonly PodShortage[];
  /** Milliseconds without any ready pod, until now; a part of the degraded time. */
  readonly downMs: number;
  /** Milliseconds without enough ready pods, until now. */
  readonly degradedMs: number;
  /** The degraded time with the timers of the profile kubernetes. */
  readonly degradedUnderKubernetesMs: number;
  readonly ready: number;
}

type Tolerations = Pick<TimerProfile, "defaultTolerationSeconds">;

/** The spans of a bar in which its pod was ready. */
export function readyTimes({ spans, toMs }: Bar): { fromMs: number; toMs: number }[] {
  return spans.flatMap((span, i) => {
    if (span.state !== "ready") return [];
    return [{ fromMs: span.fromMs, toMs: spans[i + 1]?.fromMs ?? toMs ?? Infinity }];
  });
}

/**
 * Sums up the periods in which no pod was ready, and in which fewer pods were ready than the
 * workload needs: the most that it has had, but at most the number that it currently wants. So
 * neither the first start of a workload nor the removal of a surplus pod is a shortage.
 */
export function downtimeOf(
  bars: readonly Bar[],
  { wanted, nowMs, wasSilent }: { wanted: number; nowMs: number; wasSilent: (node: string, atMs: number) => boolean },
): Omit<WorkloadDowntime, "degradedUnderKubernetesMs"> {
  const turns = bars
    .flatMap((bar) => readyTimes(bar).map((time) => ({ ...time, node: bar.node })))
    .flatMap(({ fromMs, toMs, node }) => [
      { atMs: fromMs, by: 1, node },
      { atMs: toMs, by: -1, node },
    ])
    .filter(({ atMs }) => atMs <= nowMs)
    // A successor that is ready at the same moment fills the gap.
    .toSorted((a, b) => a.atMs - b.atMs || b.by - a.by);
  const shortages: PodShortage[] = [];
  let ready = 0;
  let most = 0;
  let open: { fromMs: number; byNode: boolean } | undefined;
  let downMs = 0;
  let downSinceMs: number | undefined;
  for (const { atMs, by, node } of turns) {
    ready += by;
    most = Math.max(most, ready);
    const isDegraded = ready < Math.min(most, wanted);
    if (isDegraded && ready === 0) downSinceMs ??= atMs;
    else if (downSinceMs !== undefined) {
      downMs += atMs - downSinceMs;
      downSinceMs = undefined;
    }
    if (isDegraded && open === undefined) open = { fromMs: atMs, byNode: wasSilent(node, atMs) };
    else if (!isDegraded && open !== undefined) {
      shortages.push({ ...open, toMs: atMs });
      open = undefined;
    }
  }
  if (open !== undefined) shortages.push({ ...open, toMs: undefined });
  if (downSinceMs !== undefined) downMs += nowMs - downSinceMs;
  const degradedMs = shortages.reduce((sum, { fromMs, toMs = nowMs }) => sum + toMs - fromMs, 0);
  return { shortages, downMs, degradedMs, ready };
}

/**
 * The time that the shortages would have taken with other timers. Only shortages that a silent node
 * caused differ, because the toleration is the time between the mark on the node and the deletion
 * of its pods. The silence before the mark does not belong to a shortage, because pods count as
 * ready until the mark.
 */
export function withTimers(
  shortages: readonly PodShortage[],
  { own, other, nowMs }: { own: Tolerations; other: Tolerations; nowMs: number },
): number {
  const longerMs = (other.defaultTolerationSeconds - own.defaultTolerationSeconds) * 1000;
  return shortages.reduce((sum, { fromMs, toMs = nowMs, byNode }) => {
    const tookMs = toMs - fromMs;
    // A shortage that ended before the pods were deleted ended because the node returned.
    const waited = byNode && tookMs >= own.defaultTolerationSeconds * 1000;
    return sum + tookMs + (waited ? Math.max(0, longerMs) : 0);
  }, 0);
}

/**
 * Returns the time in which any of several workloads was degraded; overlapping times count once.
 */
export function degradedTimeOf(shortages: readonly PodShortage[], nowMs: number): number {
  let [sum, untilMs] = [0, -Infinity];
  for (const { fromMs, toMs = nowMs } of shortages.toSorted((a, b) => a.fromMs - b.fromMs)) {
    sum += Math.max(0, toMs - Math.max(fromMs, untilMs));
    untilMs = Math.max(untilMs, toMs);
  }
  return sum;
}

import type { TimerProfile } from "@kintsugi/api";
import type { Bar } from "./bar.ts";

/** A time in which a workload had fewer ready pods than it needs. */
export interface Outage {
  readonly fromMs: number;
  /** Undefined while it lasts. */
  readonly toMs: number | undefined;
  /** A pod was lost with its node, so that the node's timers took their time. */
  readonly byNode: boolean;
}

/** The downtime of a workload. */
export interface WorkloadDowntime {
  readonly outages: readonly Outage[];
  /** Milliseconds without enough ready pods, up to now. */
  readonly totalMs: number;
  /** The same milliseconds with the timers of the profile kubernetes. */
  readonly underKubernetesMs: number;
  readonly ready: number;
}

type Tolerations = Pick<TimerProfile, "defaultTolerationSeconds">;

/** The stretches of a bar in which its pod was ready. */
function readyTimes({ spans, toMs }: Bar): { fromMs: number; toMs: number }[] {
  return spans.flatMap((span, i) => {
    if (span.state !== "ready") return [];
    return [{ fromMs: span.fromMs, toMs: spans[i + 1]?.fromMs ?? toMs ?? Infinity }];
  });
}

/**
 * Sums up the times in which fewer pods were ready than the workload needs: the most that it has
 * had, but at most the number that it wants now. So the first start of a workload is no downtime,
 * and neither is a pod that leaves because fewer are wanted.
 */
export function downtimeOf(
  bars: readonly Bar[],
  { wanted, nowMs, wasSilent }: { wanted: number; nowMs: number; wasSilent: (node: string, atMs: number) => boolean },
): Omit<WorkloadDowntime, "underKubernetesMs"> {
  const turns = bars
    .flatMap((bar) => readyTimes(bar).map((time) => ({ ...time, node: bar.node })))
    .flatMap(({ fromMs, toMs, node }) => [
      { atMs: fromMs, by: 1, node },
      { atMs: toMs, by: -1, node },
    ])
    .filter(({ atMs }) => atMs <= nowMs)
    // A successor that is ready in the same moment fills the gap.
    .toSorted((a, b) => a.atMs - b.atMs || b.by - a.by);
  const outages: Outage[] = [];
  let ready = 0;
  let most = 0;
  let open: { fromMs: number; byNode: boolean } | undefined;
  for (const { atMs, by, node } of turns) {
    ready += by;
    most = Math.max(most, ready);
    const isDown = ready < Math.min(most, wanted);
    if (isDown && open === undefined) open = { fromMs: atMs, byNode: wasSilent(node, atMs) };
    else if (!isDown && open !== undefined) {
      outages.push({ ...open, toMs: atMs });
      open = undefined;
    }
  }
  if (open !== undefined) outages.push({ ...open, toMs: undefined });
  const totalMs = outages.reduce((sum, { fromMs, toMs = nowMs }) => sum + toMs - fromMs, 0);
  return { outages, totalMs, ready };
}

/**
 * The time that the outages would have taken with other timers. Only those that a silent node
 * caused differ: between the mark on the node and the deletion of its pods lies the toleration. The
 * silence before the mark is no part of an outage, because pods count as ready until the mark.
 */
export function withTimers(
  outages: readonly Outage[],
  { own, other, nowMs }: { own: Tolerations; other: Tolerations; nowMs: number },
): number {
  const longerMs = (other.defaultTolerationSeconds - own.defaultTolerationSeconds) * 1000;
  return outages.reduce((sum, { fromMs, toMs = nowMs, byNode }) => {
    const tookMs = toMs - fromMs;
    // An outage that ended before the pods were deleted ended because the node came back.
    const waited = byNode && tookMs >= own.defaultTolerationSeconds * 1000;
    return sum + tookMs + (waited ? Math.max(0, longerMs) : 0);
  }, 0);
}
